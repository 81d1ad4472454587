"""What is remembered, and whether it still holds."""
