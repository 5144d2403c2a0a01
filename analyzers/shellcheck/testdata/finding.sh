#!/bin/sh
. ./settings.sh
# shellcheck disable=all
for file in $(ls *.txt); do
	rm $file
done
