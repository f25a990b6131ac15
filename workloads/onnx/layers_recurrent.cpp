#include <fmt/format.h>

#include "workloads/onnx/layers.h"

namespace heliolite::onnx {
namespace {

struct Recurrent {
  i64 steps = 0, batch = 0, in = 0;          // of the sequence
  i64 directions = 0, rows = 0, hidden = 0;  // rows: of the gates' matrices
  bool batch_first = false;
};

Recurrent recurrent(Call& call) {
  const Shape &x = call.shape(0, 3), &w = call.shape(1, 3), &r = call.shape(2, 3);
  Recurrent out;
  if (!call.ok()) return out;
  out.batch_first = call.integer("layout", 0) != 0;
  out.steps = x[out.batch_first ? 1 : 0];
  out.batch = x[out.batch_first ? 0 : 1];
  out.in = x[2];
  out.directions = w[0];
  out.rows = w[1];
  out.hidden = r[2];
  const i64 gates = call.op() == "LSTM" ? 4 : call.op() == "GRU" ? 3 : 1;
  if (w[2] != out.in || r[0] != w[0] || r[1] != w[1] || out.rows != gates * out.hidden)
    call.fail(fmt::format("an input of {}, weights of {} and {}", to_text(x), to_text(w), to_text(r)));
  const std::string_view direction = call.text("direction", "forward");
  if (out.directions != (direction == "bidirectional" ? 2 : 1))
    call.fail(fmt::format("weights for {} directions", out.directions));
  return out;
}

}  // namespace

Shapes recurrent_shapes(Call& call) {
  const Recurrent r = recurrent(call);
  if (!call.ok()) return {};
  if (r.batch_first)
    return {{r.batch, r.steps, r.directions, r.hidden},
            {r.batch, r.directions, r.hidden},
            {r.batch, r.directions, r.hidden}};
  return {
      {r.steps, r.directions, r.batch, r.hidden}, {r.directions, r.batch, r.hidden}, {r.directions, r.batch, r.hidden}};
}

Drafts recurrent_layers(Call& call) {
  const Recurrent r = recurrent(call);
  if (call.ok() && r.steps < 1) call.fail("a sequence of no steps");
  if (!call.ok()) return {};
  Drafts all = family_draft(call, "gemm", {{"m", r.rows}, {"n", elements({r.steps, r.batch})}, {"k", r.in}},
                            {{"A", call.input(1)}, {"B", call.input(0)}});
  Drafts state = family_draft(call, "gemm", {{"m", r.rows}, {"n", r.batch}, {"k", r.hidden}}, {{"A", call.input(2)}});
  if (!call.ok()) return {};
  all[0].count = static_cast<u64>(r.directions);
  all[0].suffix = ".input";
  state[0].count = static_cast<u64>(r.directions) * static_cast<u64>(r.steps);
  state[0].suffix = ".recurrent";
  all.push_back(std::move(state[0]));
  for (LayerDraft& draft : all) draft.lost_by = "recurrent";
  return all;
}

}  // namespace heliolite::onnx
