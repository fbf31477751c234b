"""Made from ``_async`` by ``npm run make -- python-client``."""
