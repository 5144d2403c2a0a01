// Package platforms tests the released binaries on the systems that they are for: Linux on
// arm64 under qemu-user, Windows under Wine, and processors that lack what newer ones have.
// Linux on amd64, where all other tests run, is the reference. The package has no code of its
// own, and nothing comes in that a test of one platform can show.
package platforms
