#include "engine/model/mapping_fields.h"

namespace heliolite {
namespace {

Shape tensors() { return shape::either({shape::text("^[aA][lL][lL]$"), shape::list(shape::text()), shape::nothing()}); }

// [K: 4, C: [3, 2]], or {K: 4, C: [3, 2]}.
Shape loops() {
  const Shape count = shape::integer(1, static_cast<i64>(kMaxDimensionSize));
  const Shape loop = shape::names(shape::either({count, shape::list(count)}));
  return shape::either({loop, shape::list(loop), shape::nothing()});
}

Shape levels() { return shape::list(shape::map(mapping_level_fields())); }

}  // namespace

Shape mapping_document_shape() { return shape::either({shape::map(mapping_file_fields()), levels()}); }

const FieldTable& mapping_file_fields() {
  static const FieldTable table{"mapping file",
                                "A mapping of one workload onto one machine.",
                                {required({"mapping", levels(), "The levels of the machine, outermost first."}),
                                 {"workload", shape::any(), "The workload, for readers."},
                                 {"architecture", shape::any(), "The machine, for readers."}}};
  return table;
}

const FieldTable& mapping_level_fields() {
  static const FieldTable table{
      "level of a mapping",
      "A level, or a part of one whose tensors have tiles of their own.",
      {required({"level", shape::text(), "Name of the level."}),
       {"keep", tensors(), "Tensors that it keeps: all, or a list of names.", "", "as the machine says"},
       {"temporal", loops(),
        "Temporal loops, outermost first, each a dimension and its factor; [4, 2] is 4 and of the last tile 2."},
       {"spatial", shape::map(mapping_fanout_fields()), "Unrolling onto the fan-out below."}}};
  return table;
}

const FieldTable& mapping_fanout_fields() {
  static const FieldTable table{
      "unrolling",
      "Loops across the instances of the level below.",
      {{"x", loops(), "Along X: dimensions and factors."},
       {"y", loops(), "Along Y: dimensions and factors."},
       {"no_link_transfer", tensors(), "Tensors that take no words from neighbours here: all, or a list of names."}}};
  return table;
}

}  // namespace heliolite
