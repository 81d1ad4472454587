"""Work tree and history into the stores."""
