package config

import (
	"fmt"

	"go.yaml.in/yaml/v3"

	"crscore/internal/limits"
)

// Switches reads what a project's file sets for rules, without asking whether such rules
// exist: it is for comparing two versions of a file that nobody obeys. The patterns of Ignore
// match no path.
func Switches(text string) (Config, error) {
	var doc struct {
		Claims struct {
			Rules map[string]bool
		}
		Smells struct {
			Rules      map[string]bool
			Thresholds map[string]int
			Ignore     map[string]yaml.Node
		}
	}
	if len(text) > limits.ConfigBytes {
		return Config{}, fmt.Errorf("larger than the limit of %d MiB", limits.ConfigBytes>>20)
	}
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
		return Config{}, fmt.Errorf("reading rules: %w", err)
	}
	c := Config{Rules: doc.Smells.Rules, ClaimRules: doc.Claims.Rules, Thresholds: doc.Smells.Thresholds}
	for pattern, node := range doc.Smells.Ignore {
		ignore := Ignore{Pattern: pattern}
		for _, n := range append(node.Content, &node) {
			if n.Kind == yaml.ScalarNode {
				ignore.Rules = append(ignore.Rules, n.Value)
			}
		}
		c.Ignore = append(c.Ignore, ignore)
	}
	return c, nil
}
