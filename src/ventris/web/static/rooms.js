// The page of a room, fetched when it is first entered. (A page to send has all of them in one script, and its
// bundle puts a table in this function's place.)

export const openRoom = (name) => import(`./rooms/${name}.js`);
