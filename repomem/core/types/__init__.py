"""The frozen values passed between packages, without behaviour."""
