"""Who may be reached: every way out of this project, HTTP and browser, asks here (docs/fetching.md, "The guard")."""
