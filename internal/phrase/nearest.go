package phrase

import "strings"

// Nearest returns the known word that a misspelt one most likely stands for, "" when none is near.
func Nearest(key string, known []string) string {
	best, least := "", 1+max(1, len(key)/3)
	if len(key) > 40 {
		return ""
	}
	for _, k := range known {
		if d := editDistance(key, k); d < least {
			best, least = k, d
		}
	}
	return best
}

// editDistance counts the insertions, deletions, replacements and swaps of neighbours that turn a into b.
func editDistance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		row[0] = i + 1
		for j := range len(b) {
			row[j+1] = min(last[j+1], row[j], last[j]) + 1
			if a[i] == b[j] {
				row[j+1] = min(row[j+1], last[j])
			}
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}

// Suggested puts names that cobra suggests in lines below a text into its sentence.
func Suggested(text string) string {
	said, names, isHinted := strings.Cut(text, "\n\nDid you mean this?\n\t")
	if !isHinted {
		return text
	}
	return said + "; did you mean " + EnumerateBy(strings.Split(names, "\n\t"), "or") + "?"
}
