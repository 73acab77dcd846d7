"""The numbers of shadows: double-doubles, and Decimals beyond their range."""
