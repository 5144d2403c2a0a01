#!/bin/sh
# Installs the command crscore from a release. "sh install.sh --help" tells how, docs/install.md more.
# Nothing happens before the last line is read: a download that breaks off does nothing.

# The address of the repository stands here alone: after a change,
# "go test ./internal/packaging -run Address -update" writes it into the documentation.
address=${CRSCORE_URL:-https://git.example.org/example/crscore}
version=0.1.0
# The public key of whoever signs the releases, as minisign prints it. There is none yet:
# docs/releases.md tells how to make it. Without a key no signature is checked.
key=${CRSCORE_KEY-}

usage() {
	cat <<END
Installs crscore from a release.

  sh install.sh [--dir FOLDER] [--version X.Y.Z] [--commit HASH]

  --dir FOLDER     the folder of the command (~/.local/bin)
  --version X.Y.Z  the release ($version)
  --commit HASH    refuse a release that is not of this commit

CRSCORE_URL is the address of another repository with releases.
CRSCORE_KEY is minisign's public key of another signer; if empty, no signature is checked.

The exit code is 0 if the command is installed, 1 if something failed, 2 after wrong usage
and 3 if there is no such release for this system.
END
}

die() { # CODE MESSAGE
	printf 'install.sh: %s\n' "$2" >&2
	exit "$1"
}

have() { command -v "$1" >/dev/null 2>&1; }

# line prints the first line of what a program says, or the last with tail, without what a
# terminal would obey.
line() { printf '%s\n' "$1" | tr -s '\n' | "${2:-head}" -n 1 | LC_ALL=C tr -d '[:cntrl:]'; }

quoted() { # TEXT, as one word of a shell
	word='' rest=$1
	while [ "$rest" != "${rest#*\'}" ]; do
		word=$word${rest%%\'*}"'\\''" rest=${rest#*\'}
	done
	printf "'%s'" "$word$rest"
}

system() { # sets os and arch
	kernel=$(uname -s) machine=$(uname -m) os='' arch=''
	case $kernel in
	Linux) os=linux ;;
	Darwin) os=darwin ;;
	MINGW* | MSYS* | CYGWIN*) os=windows ;;
	esac
	case $machine in
	x86_64 | amd64) arch=amd64 ;;
	aarch64 | arm64 | armv8*) arch=arm64 ;;
	esac
	case $os in
	# Rosetta hides the processor from what it translates.
	darwin) [ "$(sysctl -n hw.optional.arm64 2>/dev/null)" != 1 ] || arch=arm64 ;;
	# Windows runs programs for amd64 on arm64, and hides amd64 from a shell of 32 bits.
	windows) [ "$arch$PROCESSOR_ARCHITEW6432" = '' ] || arch=amd64 ;;
	esac
	if [ -z "$os" ] || [ -z "$arch" ]; then
		die 3 "There is no release for $kernel on $machine. Build crscore with Go and a C compiler."
	fi
}

fetch() { # FILE of the release
	url=$address/releases/download/v$version/$1 code=0
	if have curl; then
		reason=$(curl -fsSL --proto "$protocols" --retry 2 --connect-timeout 20 --max-time 1200 -o "$1" "$url" 2>&1) || code=curl$?
	elif have wget; then
		reason=$(wget -T 60 -t 3 -O "$1" "$url" 2>&1) || code=wget$?
	else
		die 1 "Neither curl nor wget is there. Install one of them."
	fi
	case $code$reason in
	# BusyBox, where it lacks OpenSSL.
	0*'certificate validation not implemented'*) die 1 "This wget does not check the server's certificate. Nothing was installed. Install curl." ;;
	0*) return ;;
	wget*) reason=$(line "$reason" tail) ;;
	esac
	reason=${reason:-${code%%[0-9]*} ended with ${code##*[a-z]}}
	case $code in
	curl23 | wget3) die 1 "$dir has no room for $1: $(line "$reason"). Make room, or give another folder with --dir." ;;
	esac
	die 3 "Cannot download $url: $(line "$reason"). See whether the network works and the release has this file."
}

digest() { # FILE
	if have sha256sum; then
		sha256sum <"$1"
	elif have shasum; then
		shasum -a 256 <"$1"
	elif have openssl; then
		openssl dgst -sha256 -r <"$1"
	else
		die 1 "None of sha256sum, shasum and openssl is there to compare the checksum. Install one of them."
	fi
}

# authentic compares checksums.txt with its signature. The archive's name in checksums.txt has the
# version, so that the signature of an older release is of no use. minisign checks the trusted
# comment of the signature too; nothing here reads it.
authentic() {
	fetch checksums.txt.minisig
	ask="Nothing was installed. Ask whoever made the release."
	if have minisign; then
		reason=$(minisign -Vq -P "$key" -m checksums.txt -x checksums.txt.minisig 2>&1) ||
			die 1 "checksums.txt of the release $version is not signed with the key $key: $(line "$reason"). $ask"
		return
	fi
	have openssl || die 1 "Neither minisign nor openssl is there to check the signature. Nothing was installed. Install minisign."
	signature='' signed=checksums.txt
	{ read -r _ && read -r signature; } <checksums.txt.minisig || :
	case $signature in
	RW*) ;;
	# Newer signatures are of a digest.
	RU*) signed=digest reason=$(openssl dgst -blake2b512 -binary -out digest checksums.txt 2>&1) ||
		die 1 "This openssl has no BLAKE2: $(line "$reason"). Nothing was installed. Install minisign." ;;
	*) die 1 "checksums.txt.minisig of the release $version is no signature of minisign. $ask" ;;
	esac
	# The last 32 bytes of the key and 64 of the signature are Ed25519's; before the key stands
	# what X.509 calls it.
	{ printf '\060\052\060\005\006\003\053\145\160\003\041\0' && printf %s "$key" | openssl base64 -d -A | tail -c 32; } >key
	printf %s "$signature" | openssl base64 -d -A | tail -c 64 >signature
	if ! reason=$(openssl pkeyutl -verify -rawin -pubin -keyform DER -inkey key -sigfile signature -in "$signed" 2>&1); then
		case $reason in
		*'Verification Failure'*) die 1 "checksums.txt of the release $version is not signed with the key $key. $ask" ;;
		esac
		die 1 "This openssl cannot check the signature: $(line "$reason"). Nothing was installed. Install minisign."
	fi
}

check() { # ARCHIVE against checksums.txt
	want=''
	while read -r sum name || [ -n "$sum" ]; do
		[ "${name#\*}" != "$1" ] || want=$sum
	done <checksums.txt
	is=$(digest "$1") || exit
	if [ -z "$want" ]; then
		die 1 "checksums.txt of the release $version does not name $1. Nothing was installed. Ask whoever made the release."
	elif [ "${is%% *}" != "$want" ]; then
		die 1 "$1 has not the checksum of its release. Nothing was installed. Try again; if this stays, somebody changed the file."
	fi
}

# unpack writes the command to the file of its name. The shell creates the file, so that neither
# its owner nor its mode come from the archive.
# shellcheck disable=SC2094 # the first $command is a name in the archive
unpack() { # ARCHIVE
	case $1 in
	*.zip)
		if have unzip; then
			reason=$(unzip -p "$1" "$command" 2>&1 >"$command") && return
		elif [ -x "$SYSTEMROOT/System32/tar.exe" ]; then
			reason=$("$SYSTEMROOT/System32/tar.exe" -xf "$1" "$command" 2>&1) && return
		else
			die 1 "unzip is not there to unpack $1. Install it."
		fi
		;;
	*)
		have tar || die 1 "tar is not there to unpack $1. Install it."
		reason=$(tar -xzOf "$1" "$command" 2>&1 >"$command") && return
		;;
	esac
	die 1 "Cannot unpack $command of $1 in $dir: $(line "$reason"). See whether the disk is full."
}

try() { # ARCHIVE
	# A shell would take the program of another processor for a script.
	case $os-$arch in
	linux-amd64) form='7f454c46*3e00' ;;
	linux-arm64) form='7f454c46*b700' ;;
	darwin-amd64) form='cffaedfe07000001*' ;;
	darwin-arm64) form='cffaedfe0c000001*' ;;
	windows-amd64) form='4d5a*' ;;
	esac
	# shellcheck disable=SC2254 # $form is a pattern
	case $(od -An -v -N20 -tx1 "$command" | tr -d ' \n') in
	$form | 2321*) ;; # or #!
	*) die 1 "The $command of $1 is a program for another system than $os on $arch. Nothing was installed. Ask whoever made the release." ;;
	esac
	chmod 755 "$command"
	said=$({ "./$command" version; } 2>&1) || die 1 "The $command of $1 does not run here (exit code $?): $(line "$said" tail). Nothing was installed."
}

finish() {
	code=$?
	cd /
	rm -rf "$work"
	[ -z "$made" ] || rmdir "$made" 2>/dev/null || :
	exit "$code"
}

main() {
	set -eu
	: "${PROCESSOR_ARCHITEW6432:=}" "${SYSTEMROOT:=}" "${HOME:=}"
	dir='' commit='' made=''
	while [ $# -gt 0 ]; do
		case $1 in
		-h | --help)
			usage
			return
			;;
		--dir | --version | --commit) [ $# -gt 1 ] || die 2 "$1 needs a value. See --help." ;;
		*) die 2 "There is no flag $1. See --help." ;;
		esac
		case $1 in
		--dir) dir=$2 ;;
		--version) version=${2#v} ;;
		--commit) commit=${2:-nothing} ;;
		esac
		shift 2
	done
	case $version in
	'' | *[!0-9A-Za-z.+-]*) die 2 "--version is $version. It has to be like 0.1.0." ;;
	esac
	case $commit in
	*[!0-9a-f]*) die 2 "--commit is $commit. It has to be a whole hash of git." ;;
	esac
	address=${address%/}
	address=${address%.git}
	case $address in
	https://*) protocols='=https' ;;
	http://*) protocols='=http,https' ;;
	*) die 2 "CRSCORE_URL is $address. It has to begin with https:// or http://." ;;
	esac
	case ${#key}$key in
	0 | 56RW*) ;;
	*) die 2 "CRSCORE_KEY is $key. It has to be the last line of a public key of minisign: RW and 54 characters." ;;
	esac
	system

	[ -n "$dir$HOME" ] || die 2 "HOME is not set. Give a folder with --dir."
	dir=${dir:-$HOME/.local/bin}
	case $dir in
	/* | [A-Za-z]:*) ;;
	*) dir=$PWD/$dir ;;
	esac
	[ -d "$dir" ] || made=$dir
	# Containers have the same process numbers again and again: the name is another one each time.
	if ! reason=$(mkdir -p "$dir" 2>&1 && mktemp -d "$dir/.crscore-install.XXXXXX" 2>&1); then
		die 1 "Cannot write into $dir: $(line "$reason"). Give another folder with --dir."
	fi
	work=$reason
	trap finish EXIT
	trap 'exit 129' HUP
	trap 'exit 130' INT
	trap 'exit 143' TERM
	dir=$(cd "$dir" && pwd)
	cd "$work"

	if [ -n "$commit" ]; then
		have git || die 1 "git is not there to find the commit of the release. Install it."
		reason=$(GIT_TERMINAL_PROMPT=0 git ls-remote "$address" "refs/tags/v$version" "refs/tags/v$version^{}" 2>&1) ||
			die 3 "Cannot ask $address for the commit of the release $version: $(line "$reason" tail). See whether the network works."
		printf '%s\n' "$reason" | cut -f1 | grep -qFx -e "$commit" ||
			die 3 "The release $version of $address is not of the commit $commit."
	fi
	command=crscore archive=crscore_${version}_${os}_$arch.tar.gz
	[ "$os" != windows ] || command=crscore.exe archive=crscore_${version}_${os}_$arch.zip
	fetch checksums.txt
	[ -z "$key" ] || authentic
	fetch "$archive"
	check "$archive"
	unpack "$archive"
	try "$archive"
	[ ! -d "$dir/$command" ] || die 1 "$dir/$command is a folder. Give another folder with --dir."
	reason=$(mv -f "$command" "$dir/$command" 2>&1) ||
		die 1 "Cannot replace $dir/$command: $(line "$reason"). End the command if it runs."

	made=''
	if [ -n "$key" ]; then
		printf 'crscore %s is installed, and its checksum and signature are right: %s\n' "$version" "$dir/$command"
	else
		printf 'crscore %s is installed, and its checksum is right: %s\n' "$version" "$dir/$command"
		printf 'No signature was checked, because no key is set. The checksum is from the same server.\n'
	fi
	case $(command -v crscore || :) in
	"$dir/crscore"*) ;;
	'')
		case $dir in
		*:*) printf 'The folder is not on PATH, and cannot be: its name has a colon.\n' ;;
		*) printf 'The folder is not on PATH. Add this line to the profile of your shell:\n  export PATH=%s:"%s"\n' "$(quoted "$dir")" "\$PATH" ;;
		esac
		;;
	*) printf 'PATH finds another one first: %s\n' "$(command -v crscore)" ;;
	esac
}

{ main "$@"; } </dev/null
