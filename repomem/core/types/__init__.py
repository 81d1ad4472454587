"""The frozen values that pass between packages, without behavior of their own."""
