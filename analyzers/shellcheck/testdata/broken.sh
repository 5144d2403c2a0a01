#!/bin/sh
if [ "$1" = x ]; then
	echo "x
fi
