//go:build !(gpu && linux)

package device

// openLibrary says how to get a program that has a driver.
func openLibrary() (Driver, error) {
	return nil, &AbsentError{"this kedge was built without GPUs", "build it with go install -tags gpu github.com/kedge-opt/kedge/cmd/kedge@latest on Linux, or run with --device cpu"}
}
