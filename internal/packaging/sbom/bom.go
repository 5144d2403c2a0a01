package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"

	cdx "github.com/CycloneDX/cyclonedx-go"
	"github.com/google/uuid"
)

// writeBOM writes the parts as a CycloneDX document. Its serial number comes
// from the binary and its time from the commit: the same build has the same document.
func writeBOM(w io.Writer, b *binary, parts []part) error {
	sum := sha256.Sum256(b.code)
	bom := cdx.NewBOM()
	bom.SerialNumber = uuid.NewSHA1(uuid.NameSpaceOID, sum[:]).URN()
	var list []cdx.Component
	for _, p := range parts {
		list = append(list, cdx.Component{
			BOMRef: p.title(), Type: cdx.ComponentTypeLibrary, Name: p.name, Version: p.version, PackageURL: p.purl,
			Description: p.from, Licenses: &cdx.Licenses{{Expression: p.licence}},
		})
	}
	command := list[0]
	command.Type = cdx.ComponentTypeApplication
	command.Description = fmt.Sprintf("the command for %s/%s", b.setting("GOOS"), b.setting("GOARCH"))
	command.Hashes = &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA256, Value: hex.EncodeToString(sum[:])}}
	command.Properties = &[]cdx.Property{{Name: "commit", Value: b.commit}}
	for _, s := range b.info.Settings {
		*command.Properties = append(*command.Properties, cdx.Property{Name: "go:" + s.Key, Value: s.Value})
	}
	bom.Metadata = &cdx.Metadata{Timestamp: b.time, Component: &command}
	list = list[1:]
	bom.Components = &list
	return cdx.NewBOMEncoder(w, cdx.BOMFileFormatJSON).SetPretty(true).SetEscapeHTML(false).EncodeVersion(bom, cdx.SpecVersion1_6)
}
