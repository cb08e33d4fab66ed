// The columns of the tables of metrics and of the fleet; see table_columns.h.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/fleet_tables.h"
#include "catalog/metric.h"

namespace gpuwright::catalog {

template <class Visitor>
void columns(Visitor& visitor, MetricFamilyRow& row) {
  visitor.text("name", row.name);
  visitor.text("type", row.type);
  visitor.text("unit", row.unit);
  visitor.text("scope", row.scope);
  visitor.text("period", row.period);
  visitor.text("panel", row.panel);
  visitor.text("history", row.history);
  visitor.text("help", row.help);
  visitor.text("help_zh", row.help_zh);
  visitor.text("source", row.source);
}

template <class Visitor>
void columns(Visitor& visitor, MetricSeriesRow& row) {
  visitor.text("family", row.family);
  visitor.text("labels", row.labels);
  visitor.text("from", row.from);
  visitor.text("scale", row.scale);
  visitor.text("source", row.source);
}

template <class Visitor>
void columns(Visitor& visitor, DcgmFieldRow& row) {
  visitor.text("name", row.name);
  visitor.text("new_name", row.new_name);
  visitor.number("field_id", row.field_id);
  visitor.text("type", row.type);
  visitor.text("default", row.standing);
  visitor.text("from", row.from);
  visitor.text("scale", row.scale);
  visitor.text("help", row.help);
  visitor.text("source", row.source);
}

template <class Visitor>
void columns(Visitor& visitor, PagedXidRow& row) {
  visitor.number("code", row.code);
  visitor.text("severity", row.severity);
  visitor.text("source", row.source);
}

template <class Visitor>
void columns(Visitor& visitor, AlertRow& row) {
  visitor.text("name", row.name);
  visitor.text("expr", row.expr);
  visitor.text("for", row.hold);
  visitor.text("severity", row.severity);
  visitor.text("cause", row.cause);
  visitor.text("summary", row.summary);
  visitor.text("summary_zh", row.summary_zh);
  visitor.text("series", row.series);
  visitor.text("fires", row.fires);
  visitor.text("quiet", row.quiet);
  visitor.text("source", row.source);
}

template <class Visitor>
void columns(Visitor& visitor, PanelRow& row) {
  visitor.text("dashboard", row.dashboard);
  visitor.text("group", row.group);
  visitor.text("title", row.title);
  visitor.text("title_zh", row.title_zh);
  visitor.text("kind", row.kind);
  visitor.number("width", row.width);
  visitor.number("height", row.height);
  visitor.list("unit", row.units);
  visitor.list("expr", row.exprs);
  visitor.list("legend", row.legends);
  visitor.list("thresholds", row.thresholds);
  visitor.text("empty", row.empty);
  visitor.text("source", row.source);
}

template <class Visitor>
void columns(Visitor& visitor, PanelTitleRow& row) {
  visitor.text("kind", row.kind);
  visitor.text("id", row.id);
  visitor.text("title", row.title);
  visitor.text("title_zh", row.title_zh);
  visitor.text("source", row.source);
}

template <class Visitor>
void columns(Visitor& visitor, FleetQueryRow& row) {
  visitor.text("quantity", row.quantity);
  visitor.text("naming", row.naming);
  visitor.text("expr", row.expr);
  visitor.text("source", row.source);
}

template <class Visitor>
void columns(Visitor& visitor, UsageClassRow& row) {
  visitor.text("id", row.id);
  visitor.text("title", row.title);
  visitor.text("title_zh", row.title_zh);
  visitor.text("counts", row.counts);
  visitor.text("meaning", row.meaning);
  visitor.text("meaning_zh", row.meaning_zh);
  visitor.text("source", row.source);
}

template <class Visitor>
void columns(Visitor& visitor, GpuPriceRow& row) {
  visitor.text("gpu", row.gpu);
  visitor.text("board", row.board);
  visitor.decimal("usd_per_hour", row.usd_per_hour);
  visitor.decimal("lowest", row.lowest);
  visitor.decimal("highest", row.highest);
  visitor.number("offers", row.offers);
  visitor.day("as_of", row.as_of);
  visitor.text("source", row.source);
}

}  // namespace gpuwright::catalog
