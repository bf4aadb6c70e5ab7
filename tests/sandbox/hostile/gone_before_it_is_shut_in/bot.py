"""Says itself that it is loaded, and is gone when the files are to be shut."""

import os

from player import *

asked = request()
head = '{"id":%d,"nonce":"%s","answer":' % (asked["id"], asked["nonce"])
os.write(CHANNEL, (head + '{"class":"Hostile","doc":"","overrides":[]}}\n').encode())
os._exit(0)
