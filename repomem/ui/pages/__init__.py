"""The data of each page as frozen values, from the same operations as the commands."""
