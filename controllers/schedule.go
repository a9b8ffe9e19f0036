package controllers

import (
	"context"
	"fmt"
	"time"

	"github.com/robfig/cron/v3"

	"github.com/relevance-gate/relevance-gate/api/v1alpha1"
)

// checkSchedule tells whether the live index of a gate at rest is to be measured
// once more: a time of the schedule has passed since the last measurement began, or
// the engine has another version than it had then. The status holds both, so a time
// that passed while no manager ran is made up for, once.
func (r *Reconciler) checkSchedule(ctx context.Context, s *scope) error {
	schedule, evaluation := s.inputs.schedule, s.gate.Status.Evaluation
	if schedule == nil {
		return nil
	}
	s.nextScheduled = schedule.Next(s.now)
	if evaluation == nil || evaluation.CompletedAt == nil || evaluation.StartedAt == nil {
		return nil // It is being measured anyway.
	}
	if err := r.identify(ctx, s); err != nil {
		return err
	}
	upgraded := evaluation.Engine != nil && evaluation.Engine.Version != s.info.Version
	s.due = upgraded || !schedule.Next(evaluation.StartedAt.Time).After(s.now)
	return nil
}

// parseSchedule reads the five fields of cron in the schedule's time zone, UTC
// without one. It is nil without a schedule.
func parseSchedule(spec *v1alpha1.Schedule) (cron.Schedule, error) {
	if spec == nil {
		return nil, nil
	}
	zone, err := time.LoadLocation(spec.TimeZone)
	if err != nil || zone == time.Local {
		return nil, fmt.Errorf("spec.schedule.timeZone: %q is not a time zone; write one such as Europe/Madrid", spec.TimeZone)
	}
	schedule, err := cron.ParseStandard("CRON_TZ=" + zone.String() + " " + spec.Cron)
	if err != nil {
		return nil, fmt.Errorf("spec.schedule.cron: %q is not a time in cron's five fields (%w); write one such as 0 3 * * *", spec.Cron, err)
	}
	if schedule.Next(time.Unix(0, 0)).IsZero() {
		return nil, fmt.Errorf("spec.schedule.cron: %q never comes; write one such as 0 3 * * *", spec.Cron)
	}
	return schedule, nil
}
