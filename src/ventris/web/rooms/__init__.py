"""One module a room: requests in, plain data out; what takes long runs in a worker process.

The shell iterates over `ROOMS`; a room more is a module, a page and a place in this list.
"""

from ventris.web.rooms import caesar, mending, own_data, reading, surface, two_classes

ROOMS = (
    caesar.ROOM,
    two_classes.ROOM,
    surface.ROOM,
    reading.ROOM,
    *((mending.ROOM,) if mending.is_there() else ()),
    own_data.ROOM,
)
