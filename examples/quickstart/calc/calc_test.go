package calc

import "testing"

func TestDivide(t *testing.T) {
	for _, tc := range []struct {
		name    string
		a, b    int
		want    int
		wantErr error
	}{
		{"whole numbers", 6, 3, 2, nil},
		{"rounds towards zero", 7, 2, 3, nil},
		{"by zero", 1, 0, 0, ErrDivisionByZero},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := Divide(tc.a, tc.b)
			if err != tc.wantErr {
				t.Errorf("Divide(%d, %d): got error %v, want %v", tc.a, tc.b, err, tc.wantErr)
			}
			if got != tc.want {
				t.Errorf("Divide(%d, %d) = %d, want %d", tc.a, tc.b, got, tc.want)
			}
		})
	}
}
