package answers

import (
	"context"

	"fairbridge/api"
	"fairbridge/api/answers/laststudy"
)

// Studies says what policies would have done with the jobs of each partition, as far as that is stored. Its figures are of
// the jobs of all: where usage is private it is for operators.
func (s *Service) Studies(ctx context.Context, v api.Viewer) (*api.Studies, error) {
	if s.parts.Privacy().Usage && !v.IsOperator() {
		return nil, forbidden("usage is private here, and studies are about the jobs of all", "ask an operator")
	}
	list, err := s.parts.Record.LastStudies(ctx, s.Cluster)
	if err != nil {
		return nil, toldError(&v, "reading the studies", err)
	}
	return laststudy.Answer(&v, s.Partitions, list, s.parts.Now()), nil
}
