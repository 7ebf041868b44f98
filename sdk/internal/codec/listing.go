package codec

import (
	"github.com/proctorhq/proctor/sdk"
	pb "github.com/proctorhq/proctor/sdk/detectorpb"
	"github.com/proctorhq/proctor/sdk/internal/fit"
)

// EncodeListedTest encodes one test, since a suite may have more than fit one message.
func EncodeListedTest(t sdk.ListedTest) *pb.ListedTest {
	return &pb.ListedTest{Name: fit.Name(t.Name), Location: encodeLocation(t.Location), OnRequest: t.OnRequest, Body: fit.Text(t.Body, sdk.MaxBody)}
}

func decodeListedTest(m *pb.ListedTest) sdk.ListedTest {
	return sdk.ListedTest{Name: m.GetName(), Location: decodeLocation(m.GetLocation()), OnRequest: m.GetOnRequest(), Body: m.GetBody()}
}

// EncodeListedSuite encodes a suite without its lists, which may not fit one message.
func EncodeListedSuite(s sdk.ListedSuite) *pb.ListedSuite {
	return &pb.ListedSuite{Suite: fit.Name(s.Suite), Opaque: fit.Text(s.Opaque, sdk.MaxText), Sealed: s.Sealed, Incomplete: fit.Text(s.Incomplete, sdk.MaxText)}
}

func DecodeListedSuite(m *pb.ListedSuite) sdk.ListedSuite {
	s := sdk.ListedSuite{Suite: m.GetSuite(), Needs: m.GetNeeds(), Opaque: m.GetOpaque(), Sealed: m.GetSealed(), Incomplete: m.GetIncomplete()}
	for _, t := range m.GetTests() {
		s.Tests = append(s.Tests, decodeListedTest(t))
	}
	return s
}

// EncodeListedPart encodes a part without its lists, like EncodeListedSuite.
func EncodeListedPart(p sdk.ListedPart) *pb.ListedPart {
	return &pb.ListedPart{Name: fit.Name(p.Name), Tools: p.Tools}
}

func DecodeListedPart(m *pb.ListedPart) sdk.ListedPart {
	return sdk.ListedPart{Name: m.GetName(), Files: m.GetFiles(), Patterns: m.GetPatterns(), Needs: m.GetNeeds(), Tools: m.GetTools()}
}
