// A sweep whose parameters take more values than when its database was made: the rows of the points that both grids
// have are taken over under their new numbers, so that only the points that are new are left to do.
#include "engine/sweep/merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "engine/model/fingerprint.h"
#include "engine/sweep/design_points.h"
#include "engine/sweep/front.h"
#include "engine/sweep/machine_grid.h"
#include "engine/sweep/question.h"
#include "engine/sweep/set_rows.h"
#include "engine/sweep/store.h"
#include "engine/sweep/store_open.h"
#include "engine/sweep/sweep_yaml.h"

namespace heliolite {
namespace {

namespace fs = std::filesystem;

using ValuePlaces = std::vector<std::vector<std::size_t>>;  // [parameter][old value]: its place in the new grid

// The points of a grid in a larger one.
class GridInGrid {
 public:
  GridInGrid(const SweepSpec& old, const SweepSpec& now, ValuePlaces places)
      : old_(old), now_(now), places_(std::move(places)) {}

  u64 id(u64 old) const {
    const std::vector<std::size_t> choice = old_.choice(old);
    u64 out = 0, stride = now_.grid();
    for (std::size_t p = 0; p < choice.size(); ++p) {
      stride /= now_.values_of(p);
      out += places_[p][choice[p]] * stride;
    }
    return out;
  }
  const ValuePlaces& places() const { return places_; }
  const DesignPoints& old() const { return old_; }
  const DesignPoints& now() const { return now_; }

  // Whether values of the same text make the same of the machine. Settings of different parameters do not overlap, so
  // the machines that differ from the first in one parameter tell of all.
  bool same_machines() const {
    const auto text = [](const Result<Architecture>& machine) {
      return machine ? to_hex(fingerprint(*machine)) : machine.errors().front().message;
    };
    for (std::size_t p = 0; p < places_.size(); ++p)
      for (std::size_t k = 0; k < places_[p].size(); ++k) {
        const u64 point = old_.off_origin(p, k);
        if (text(old_.machine(point)) != text(now_.machine(id(point)))) return false;
      }
    return true;
  }

 private:
  DesignPoints old_, now_;
  ValuePlaces places_;
};

// Where the values of each parameter are in a grid with more of them; none if one is missing.
std::optional<ValuePlaces> places_in(const std::vector<SweepParameter>& old, const std::vector<SweepParameter>& now) {
  if (old.size() != now.size()) return std::nullopt;
  ValuePlaces out;
  for (std::size_t p = 0; p < old.size(); ++p) {
    if (old[p].name != now[p].name) return std::nullopt;
    std::vector<std::size_t>& places = out.emplace_back();
    for (const ParameterValue& value : old[p].values) {
      const auto found = std::ranges::find(now[p].values, value.text, &ParameterValue::text);
      if (found == now[p].values.end()) return std::nullopt;
      places.push_back(at(found - now[p].values.begin()));
    }
  }
  return out;
}

// "beaten by point 12" with the point's new number.
std::string renumbered(const std::string& reason, const GridInGrid& grids) {
  constexpr std::string_view kPoint = "point ";
  std::string out;
  for (std::size_t k = 0; k < reason.size();) {
    std::size_t end = k + kPoint.size();
    if (reason.compare(k, kPoint.size(), kPoint) == 0)
      while (end < reason.size() && std::isdigit(static_cast<unsigned char>(reason[end])) != 0) ++end;
    if (end == k + kPoint.size() || reason.compare(k, kPoint.size(), kPoint) != 0) {
      out += reason[k++];
      continue;
    }
    const u64 old = std::stoull(reason.substr(k + kPoint.size(), end - k - kPoint.size()));
    out += fmt::format("{}{}", kPoint, grids.id(old));
    k = end;
  }
  return out;
}

// The rows of a smaller grid as those of the larger one.
class TakeOver {
 public:
  TakeOver(const SweepSpec& old_spec, const SweepSpec& spec, const GridInGrid& grids)
      : old_parts_(MachineGrid::create(old_spec, grids.old())),
        parts_(MachineGrid::create(spec, grids.now())),
        grids_(grids) {}

  LayerRecord layer(LayerRecord row) const {
    row.point = grids_.id(row.point);
    return row;
  }

  // None: what the row says is not known of the larger grid.
  std::optional<PointRecord> point(PointRecord row) const {
    const u64 old = row.id;
    row.id = grids_.id(old);
    // What was certain of all points.
    for (const std::string_view word : {kFrontPoint, kBestPoint})
      if (row.state == PointState::Done && row.reason.starts_with(word)) row.reason.clear();
    if (row.state == PointState::Done || row.state == PointState::Cut) row.reason = renumbered(row.reason, grids_);
    if (!SetRows::is_of_set(row.reason)) return row;
    // A set of machines is known by the number of their shape.
    if (!old_parts_ || !parts_ || old_parts_->shape(old) != parts_->shape(row.id)) return std::nullopt;
    row.reason = SetRows::in_larger_grid(row.reason, grids_.places(), [&](u64 id) { return grids_.id(id); });
    return row;
  }

 private:
  Result<MachineGrid> old_parts_, parts_;
  const GridInGrid& grids_;
};

// The sweep as it was when the database was made; none if more has changed than values of parameters.
std::optional<SweepSpec> smaller_sweep(const Store& old, const SweepSpec& spec, const std::string& file) {
  const SweepRecord& sweep = old.sweep();
  const Result<SweepSpec> read = parse_sweep(sweep.text, file, {.reading = spec.reading});
  if (!read) return std::nullopt;
  SweepSpec out = spec;
  out.parameters = read->parameters;
  if (sweep_question(out) != sweep.question) return std::nullopt;
  return out;
}

// Why points are not taken over although the grid has grown; "" if they are.
std::string refused(const SweepRecord& old, const SweepRecord& sweep, const SweepSpec& spec) {
  constexpr const char* kOther = "choose another file with -o";
  if (spec.sample)
    return fmt::format("holds a sample of a smaller grid, and the larger one's sample has other points: {}", kOther);
  const SweepRecord& part = old.shards > 1 ? old : sweep;
  if (part.shards == 1) return "";
  return fmt::format(
      "{} of a smaller grid, and the larger one is dealt otherwise: merge all shards of the smaller grid, then "
      "heliolite merge with --rest N --sweep FILE takes their points over and deals the new ones; or {}",
      old.shards > 1 ? "is " + shard_text(old) : "holds all points", kOther);
}

Diagnostics copy_rows(const Store& old, Store& now, const TakeOver& rows, GrownStore& result) {
  return now.together([&] {
    Diagnostics problems;
    const auto insert = [&](const auto& row, u64& count) {
      const Result<bool> added = now.insert(row);
      if (added) count += *added ? 1 : 0;
      else problems = added.errors();
      return added.ok();
    };
    Diagnostics errors =
        old.visit_layers([&](const LayerRecord& row) { return insert(rows.layer(row), result.layers); });
    if (errors.empty() && problems.empty())
      errors = old.visit_points([&](const PointRecord& row) {
        const std::optional<PointRecord> taken = rows.point(row);
        return !taken || insert(*taken, result.points);
      });
    return problems.empty() ? errors : problems;
  });
}

}  // namespace

// Step 1. What is there is the sweep with fewer values. Step 2. Its rows in a new file. Step 3. That takes the place.
Result<GrownStore> grow_store(const std::string& path, const SweepSpec& spec, const SweepRecord& sweep,
                              const std::string& file, const std::atomic<bool>* stop) {
  GrownStore result;
  std::error_code ignored;
  if (!fs::exists(path, ignored) || fs::file_size(path, ignored) == 0) return result;
  const auto stopped = [&] { return stop != nullptr && *stop; };
  std::optional<SweepSpec> old_spec;
  std::string why;
  {
    const Result<Store> old = Store::read(path, stop);
    if (!old || old->sweep().question == sweep.question) return result;
    old_spec = smaller_sweep(*old, spec, file);
    if (old_spec) why = refused(old->sweep(), sweep, spec);
  }
  if (!old_spec) return result;
  std::optional<ValuePlaces> places = places_in(old_spec->parameters, spec.parameters);
  if (!places) return result;
  const GridInGrid grids(*old_spec, spec, *std::move(places));
  if (!grids.same_machines()) return result;
  if (!why.empty()) return Diagnostic{path, 0, "", why};
  const auto fill = [&](const std::string& part) -> Result<bool> {
    const Result<Store> old = Store::read(path, stop);
    if (!old) return old.errors();
    if (Diagnostics errors = old->check(); !errors.empty()) return errors;
    result.warnings = old->warnings();
    Result<Store> now = Store::create(part, sweep);
    if (!now) return now.errors();
    if (Diagnostics errors = copy_rows(*old, *now, TakeOver(*old_spec, spec, grids), result); !errors.empty())
      return errors;
    if (stopped()) return false;
    if (Diagnostics errors = now->close(false); !errors.empty()) return errors;
    return true;
  };
  const auto retire = [&](const std::string& real) { return keep_as(real, ".before", result.old_copy); };
  const Result<bool> replaced = replace_store(path, fill, retire);
  if (stopped() && !(replaced && *replaced))
    return Diagnostic{path, 0, "", "taking over its points was interrupted; it is as it was"};
  if (!replaced) return replaced.errors();
  result.grown = *replaced;
  return result;
}

}  // namespace heliolite
