"""The stages of a `Page`, each a small module that raises NotConfigured when it has nothing to do."""
