#!/usr/bin/env sh
# The hook crscore-gate: runs the released command, which is kept in pre-commit's clone of this
# repository. A clone of another commit than the release's has no release.
set -eu
clone=${0%[/\\]*}
crscore=$clone/bin/crscore
if [ ! -f "$crscore" ] && [ ! -f "$crscore.exe" ]; then
	( # git's hooks name their own repository by variables
		# shellcheck disable=SC2046 # they are words
		unset $(git rev-parse --local-env-vars)
		cd "$clone" || exit
		address=$(git config remote.origin.url)
		case $address in
		https://*) export CRSCORE_URL="${CRSCORE_URL:-$address}" ;;
		esac
		commit=$(git rev-parse HEAD) || exit
		sh ./install.sh --dir bin --commit "$commit"
	) >&2 || {
		code=$?
		[ "$code" != 3 ] || echo "crscore-gate: The hook crscore-gate-go builds the command instead, with Go and a C compiler." >&2
		exit "$code"
	}
fi
exec "$crscore" gate "$@"
