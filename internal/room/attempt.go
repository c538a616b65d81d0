package room

import "os"

// Attempt is how the names of files begin by which Writable tries where it must give them one. A process that dies then leaves its file.
const Attempt = ".kedge-try-"

// tryNamed makes a file in a folder and removes it.
func tryNamed(dir string) error {
	f, err := os.CreateTemp(dir, Attempt+"*")
	if err != nil {
		return err
	}
	f.Close()
	return os.Remove(f.Name())
}
