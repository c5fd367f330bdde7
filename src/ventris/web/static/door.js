// The key in the address has become a cookie: go in, with what the address says to look at.
location.replace(`/${location.hash}`);
