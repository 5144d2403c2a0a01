#!/bin/sh
. ./settings.sh
for file in $(ls *.txt); do
	rm $file
done
