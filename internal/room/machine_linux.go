package room

import "os"

func machine() Bound { return free(os.DirFS("/")) }
