package service

import (
	"os"
	"os/exec"
	"runtime"
)

// browse shows an address in the browser of whoever sits before the screen, if somebody does.
func browse(address string) {
	words := opener(runtime.GOOS, os.Getenv, address)
	if words == nil {
		return
	}
	c := exec.Command(words[0], words[1:]...)
	detach(c) // Ctrl-C stops the demonstration, and not a browser that it has started
	if c.Start() == nil {
		go c.Wait()
	}
}

// opener is the command that opens an address; nil where there is no screen.
func opener(system string, environment func(string) string, address string) []string {
	has := func(name string) bool { return environment(name) != "" }
	switch {
	case system == "windows":
		return []string{"rundll32", "url.dll,FileProtocolHandler", address}
	case system == "darwin" && !has("SSH_CONNECTION"):
		return []string{"open", address}
	case system != "darwin" && (has("DISPLAY") || has("WAYLAND_DISPLAY")):
		return []string{"xdg-open", address}
	}
	return nil
}
