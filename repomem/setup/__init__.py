"""Installing, inspecting and removing repomem."""
