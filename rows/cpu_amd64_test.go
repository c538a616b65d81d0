package rows

func setVectors(on bool) { hasAVX2 = on }
