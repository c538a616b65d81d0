//go:build !amd64

package rows

func setVectors(bool) {}
