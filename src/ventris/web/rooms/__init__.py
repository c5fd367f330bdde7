"""One module a room: requests in, plain data out; what takes long runs in a worker process."""
