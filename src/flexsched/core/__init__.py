"""The scheduling core: no I/O, no clock, no logging, no file format, no cluster API."""
