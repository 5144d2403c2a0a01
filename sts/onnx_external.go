package sts

import (
	"fmt"
	"io"
	"io/fs"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
)

// externalPart is a tensor in another file.
type externalPart struct {
	location       string // relative to the folder of the ONNX file
	offset, length int64  // -1 when the file does not say
	values         int64  // the tensor's size
}

// readExternal reads a pair of key and value of a tensor in another file.
func readExternal(m *wireMessage, part *externalPart) (*externalPart, error) {
	var pair [2]string
	err := m.fields(func(field protowire.Number, m *wireMessage) (err error) {
		if field == 1 || field == 2 {
			pair[field-1], err = m.text()
		}
		return err
	})
	if part == nil {
		part = &externalPart{offset: 0, length: -1}
	}
	var parse error
	switch pair[0] {
	case "location":
		part.location = pair[1]
	case "offset":
		part.offset, parse = strconv.ParseInt(pair[1], 10, 64)
	case "length":
		part.length, parse = strconv.ParseInt(pair[1], 10, 64)
	}
	if err == nil && (parse != nil || part.offset < 0 || part.length < -1) {
		err = fmt.Errorf("external data with %s %q", pair[0], pair[1])
	}
	return part, err
}

// path is the path, in the model's folder, of the file with the tensor of the ONNX file at path file.
func (p externalPart) path(file string) (string, error) {
	name := path.Join(path.Dir(file), p.location)
	if p.location == "" || path.IsAbs(p.location) || strings.Contains(p.location, "\\") || !fs.ValidPath(name) || name == "." {
		return "", fmt.Errorf("external data %.100q is not in the model directory", p.location)
	}
	return name, nil
}

// ExternalData returns the sorted paths, in the model's folder, of the files in which the ONNX file
// at path file keeps tensors. r reads the ONNX file, of any size; nothing else is read. An error says
// what is wrong with the file.
func ExternalData(r io.Reader, file string) ([]string, error) {
	g, err := readONNX(r)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, part := range g.external {
		name, err := part.path(file)
		if err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// checkExternal returns the names of the files in dir with the external data of the model
// in file, and an error if one is missing or too short.
func (g onnxGraph) checkExternal(dir fs.FS, file string) ([]string, error) {
	sizes, values := map[string]int64{}, map[string]int64{}
	var names []string
	for _, part := range g.external {
		name, err := part.path(file)
		if err != nil {
			return nil, err
		}
		size, ok := sizes[name]
		if !ok {
			info, err := fs.Stat(dir, name)
			if err != nil {
				return nil, fmt.Errorf("external data %q: %w", part.location, err)
			}
			if !info.Mode().IsRegular() {
				return nil, fmt.Errorf("external data %q is not a file", part.location)
			}
			size = info.Size()
			sizes[name] = size
			names = append(names, name)
		}
		if part.offset > size || part.length > size-part.offset {
			return nil, fmt.Errorf("external data %q is cut short: it has %d bytes, and %d are wanted from %d on", part.location, size, part.length, part.offset)
		}
		// Together: each gets memory of its own, also where they share their bytes.
		if values[name] += min(part.values, math.MaxInt64-values[name]); values[name]/valuesPerByte > size {
			return nil, fmt.Errorf("external data %q has %d bytes for tensors of %d values", part.location, size, values[name])
		}
	}
	return names, nil
}
