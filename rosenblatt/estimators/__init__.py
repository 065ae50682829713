"""scikit-learn estimators: validation, classes and attributes; no mathematics."""
