package main

// dialect has the lines of programs in a language, with placeholders: $f is the name of a
// function, $T of a type, $a, $b and $c of variables; $n is a number and $s a text.
type dialect struct {
	lang, ext, indent string
	snakes            bool // names are snake_case
	comment           string
	head              []string
	class             string // around all functions; empty for none
	function          string
	ends              string // what closes a block; empty where indents do
	simple            []string
	blocks            []string // what opens one
	last              string   // of a function
}

var dialects = []dialect{
	{
		lang: "py", ext: "py", indent: "    ", snakes: true, comment: "# ",
		head:  []string{"import logging", "import time", "from collections import defaultdict", "", "log = logging.getLogger(__name__)", ""},
		class: "class $T:", function: "def $f(self, $a, $b=$n):",
		simple: []string{
			"$c = self.$f($a, $n)", "self.$a = $b", "$a.append($b)", "$c = $a.get('$s', $n)", "log.info('$s: %s', $a)",
			"$c = [$a[$b] for $b in range($n)]", "self.$f($b, limit=$n)", "$a['$s'] = $b + $n", "assert $a is not None, '$s'", "time.sleep($n)",
		},
		blocks: []string{"if $a > $n:", "if not $b:", "for $c in $a:", "while len($a) < $n:", "with self.$a as $c:", "if $a is None or $b == '$s':"},
		last:   "return $a",
	},
	{
		lang: "java", ext: "java", indent: "    ", comment: "// ",
		head:  []string{"package org.example.service;", "", "import java.util.List;", "import java.util.Map;", "import java.util.Objects;", ""},
		class: "public class $T {", function: "public int $f(List<String> $a, int $b) {", ends: "}",
		simple: []string{
			"int $c = $f($a, $n);", "this.$a = $b;", "$a.add(String.valueOf($b));", "String $c = $a.get($n);", "logger.info(\"$s: {}\", $a);",
			"$b = Math.max($b, $n);", "Objects.requireNonNull($a, \"$s\");", "settings.put(\"$s\", $b + $n);", "$b += $a.size() - $n;",
		},
		blocks: []string{"if ($b > $n) {", "if ($a.isEmpty()) {", "for (String $c : $a) {", "while ($b < $n) {", "synchronized (this.$c) {", "if ($a == null || $a.contains(\"$s\")) {"},
		last:   "return $b;",
	},
	{
		lang: "js", ext: "js", indent: "  ", comment: "// ",
		head:  []string{"'use strict';", "", "const path = require('path');", "const log = require('./log');", ""},
		class: "class $T {", function: "$f($a, $b = $n) {", ends: "}",
		simple: []string{
			"const $c = this.$f($a, $n);", "this.$a = $b;", "$a.push($b);", "const $c = $a['$s'] || $n;", "log.info('$s', $a);",
			"const $c = $a.map(item => item.$b + $n);", "this.$f($b, { limit: $n });", "$a.$b = $n;", "setTimeout(() => this.$f($a), $n);",
		},
		blocks: []string{"if ($a > $n) {", "if (!$b) {", "for (const $c of $a) {", "while ($a.length < $n) {", "if ($a === undefined || $b === '$s') {"},
		last:   "return $a;",
	},
	{
		lang: "go", ext: "go", indent: "\t", comment: "// ",
		head:     []string{"package service", "", "import (", "\t\"errors\"", "\t\"fmt\"", "\t\"log\"", ")", ""},
		function: "func $f($a []string, $b int) int {", ends: "}",
		simple: []string{
			"$c := $f($a, $n)", "$b = len($a) + $n", "$a = append($a, \"$s\")", "log.Printf(\"$s: %v\", $a)", "$b = max($b, $n)",
			"state.$c = $b", "fmt.Fprintln(out, \"$s\", $b)", "defer $f($a, $n)", "$b -= $n",
		},
		blocks: []string{"if $b > $n {", "if len($a) == 0 {", "for _, $c := range $a {", "for $b < $n {", "if err := check($a); err != nil {"},
		last:   "return $b",
	},
	{
		lang: "php", ext: "php", indent: "    ", comment: "// ",
		head:  []string{"<?php", "", "namespace Example\\Service;", "", "use Example\\Log;", ""},
		class: "class $T {", function: "public function $f($$a, $$b = $n) {", ends: "}",
		simple: []string{
			"$$c = $this->$f($$a, $n);", "$this->$a = $$b;", "$$a[] = $$b;", "$$c = isset($$a['$s']) ? $$a['$s'] : $n;", "Log::info('$s', $$a);",
			"$$b = max($$b, $n);", "$this->$f($$b, $n);", "$$a['$s'] = $$b + $n;", "unset($$a['$s']);",
		},
		blocks: []string{"if ($$b > $n) {", "if (!$$a) {", "foreach ($$a as $$c) {", "while (count($$a) < $n) {", "if ($$a === null || $$b == '$s') {"},
		last:   "return $$b;",
	},
	{
		lang: ".cs", ext: "cs", indent: "    ", comment: "// ",
		head:  []string{"using System;", "using System.Collections.Generic;", "using System.Linq;", ""},
		class: "public class $T {", function: "public int $f(List<string> $a, int $b) {", ends: "}",
		simple: []string{
			"var $c = $f($a, $n);", "this.$a = $b;", "$a.Add($b.ToString());", "var $c = $a.Take($n).ToList();", "Log.Info(\"$s: {0}\", $b);",
			"$b = Math.Max($b, $n);", "settings[\"$s\"] = $b + $n;", "$b += $a.Count - $n;", "var $c = $a.Where(item => item != \"$s\").Count();",
		},
		blocks: []string{"if ($b > $n) {", "if (!$a.Any()) {", "foreach (var $c in $a) {", "while ($b < $n) {", "lock (this.$c) {", "if ($a == null || $a.Contains(\"$s\")) {"},
		last:   "return $b;",
	},
}
