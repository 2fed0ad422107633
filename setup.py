__import__("setuptools").setup()  # scrapyd-deploy builds its egg with `python setup.py`; the project is in pyproject.toml
