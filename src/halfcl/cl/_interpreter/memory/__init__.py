"""Memory of a launch: pointers, checked addresses, loads and stores, and pending copies."""
