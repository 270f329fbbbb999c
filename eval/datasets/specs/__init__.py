"""One small file per dataset, with `SPECS`."""
