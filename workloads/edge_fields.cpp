#include "workloads/edge_fields.h"

#include <string>

#include "workloads/network.h"

namespace heliolite {
namespace {

Shape size(i64 least) { return shape::integer(least, static_cast<i64>(kMaxDimensionSize)); }

FileField ranks() {
  return {"ranks", shape::list_or_one(shape::text()), "Dimensions of the ranks that it works on.", "",
          "lines and columns"};
}

Shape through() {
  std::vector<std::string> plain;
  for (const Operator op : {Operator::None, Operator::Elementwise, Operator::Softmax, Operator::Norm})
    plain.emplace_back(name(op));
  return shape::either({shape::one_of(plain), shape::map(through_fields())});
}

Shape combine() {
  return shape::either({shape::one_of({std::string(name(Combine::Add)), std::string(name(Combine::Multiply))}),
                        shape::map(concat_fields())});
}

}  // namespace

const FieldTable& edge_fields() {
  static const FieldTable table{
      "edge",
      "The output of one layer, or an input, is an operand of another layer.",
      {required({"from", shape::text(), "The layer, or the input."}),
       required({"to", shape::text(), "The layer that reads it."}),
       required({"tensor", shape::text(), "The operand of that layer."}),
       {"through", through(), "What lies between them.", "", "none"},
       {"combine", combine(), "Of each of several edges into one operand: how they make it together."},
       {"slice", shape::map(slice_fields()), "The part of the output that it is.", "", "all of it"}}};
  return table;
}

const FieldTable& input_fields() {
  static const FieldTable table{
      "input",
      "An input of the network.",
      {required({"name", shape::text(), "By which layers read it."}),
       {"same_in_repeats", shape::boolean(),
        "It is the same in all repetitions of its readers, like a weight that they share.", "", "false"}}};
  return table;
}

const FieldTable& through_fields() {
  static const FieldTable table{
      "operator between layers",
      "A pooling or a resizing.",
      {{"pool", shape::map(pool_fields()), "A pooling."},
       {"resize", shape::either({size(1), shape::map(resize_fields())}), "A resizing, by its factor."}}};
  return table;
}

const FieldTable& pool_fields() {
  static const FieldTable table{"pool",
                                "A pooling.",
                                {required({"k", size(1), "Length of the window, along each rank."}),
                                 {"stride", size(1), "Stride.", "", "k"},
                                 {"pad", size(0), "Border on either side, below k.", "", "unknown"},
                                 ranks()}};
  return table;
}

const FieldTable& resize_fields() {
  static const FieldTable table{"resize", "A resizing.", {required({"factor", size(1), "Its factor."}), ranks()}};
  return table;
}

const FieldTable& concat_fields() {
  static const FieldTable table{"concatenation",
                                "Parts one after the other, in the order of the file.",
                                {required({"concat", shape::text(), "Dimension of the rank along which they lie."})}};
  return table;
}

const FieldTable& slice_fields() {
  static const FieldTable table{
      "slice",
      "Positions of one rank of the output.",
      {required({"rank", shape::text(), "Dimension of the rank."}), required({"from", size(0), "The first position."}),
       required({"words", size(1), "How many positions."})}};
  return table;
}

}  // namespace heliolite
