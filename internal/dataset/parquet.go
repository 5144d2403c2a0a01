package dataset

import "errors"

// openParquet is to come.
func openParquet(Source) (table, error) {
	return nil, errors.New("this is Parquet, which is not read yet")
}
