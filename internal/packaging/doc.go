// Package packaging tests the GitHub Action, the pre-commit hook, the image, the
// configuration of releases and the examples of docs/ci.md. The tests run these files
// unchanged, with the programs that .ci/packaging installs. The package has no code of its
// own.
package packaging
