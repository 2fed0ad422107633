__import__("setuptools").setup()  # scrapyd-deploy runs `python setup.py bdist_egg`; pyproject.toml has the rest
