#include "engine/program/program_touches.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "engine/base/integers.h"
#include "engine/program/affine_program.h"
#include "engine/program/instance_walk.h"

namespace heliolite {

struct ProgramTouches::Program {
  AffineProgram program;
  ParameterValues values;
  // The box of what is touched of each array: [array][rank].
  std::vector<std::vector<i64>> low, high;

  void include(int array, std::span<const i64> subscripts) {
    std::vector<i64>&least = low[array], &most = high[array];
    if (least.empty()) {
      least.assign(subscripts.begin(), subscripts.end());
      most = least;
    }
    for (std::size_t r = 0; r < subscripts.size(); ++r) {
      least[r] = std::min(least[r], subscripts[r]);
      most[r] = std::max(most[r], subscripts[r]);
    }
  }

  u64 extent(std::size_t array, std::size_t rank) const {
    return static_cast<u64>(high[array][rank]) - static_cast<u64>(low[array][rank]) + 1;
  }

  u64 element(int array, std::span<const i64> subscripts) const {
    u64 number = 0;
    for (std::size_t r = 0; r < subscripts.size(); ++r)
      number = number * extent(at(array), r) + static_cast<u64>(subscripts[r] - low[array][r]);
    return number;
  }
};

Result<ProgramTouches> ProgramTouches::load(const std::string& file,
                                            const std::vector<std::pair<std::string, i64>>& parameters,
                                            const ProgramStop* stop) {
  Result<AffineProgram> read = load_program(file);
  if (!read) return read.errors();
  ParameterValues values;
  for (const auto& [name, value] : parameters) {
    if (read->parameter(name) < 0)
      return Diagnostic{file, 0, name,
                        fmt::format("no parameter of the program; it has: {}", fmt::join(read->parameters, ", "))};
    values[name] = value;
  }
  const std::size_t arrays = read->arrays.size();
  if (arrays > std::numeric_limits<u8>::max())
    return Diagnostic{file, 0, "", fmt::format("{} arrays are too many to be executed", arrays)};
  for (const std::string& name : read->parameters)
    if (!values.contains(name)) return Diagnostic{file, 0, name, "the parameter has no value"};
  const auto run = std::make_shared<Program>(
      Program{std::move(*read), std::move(values), std::vector<std::vector<i64>>(arrays), {}});
  run->high.resize(arrays);
  ProgramTouches out;
  InstanceWords words(run->program, run->values);
  const auto include = [&](int array, std::span<const i64> subscripts, bool) { run->include(array, subscripts); };
  const Result<u64> done = walk_instances(
      run->program, run->values,
      [&](int statement, std::span<const i64> at) {
        words.visit(statement, at, include);
        const u64 touches = run->program.statements[heliolite::at(statement)].reads.size() + 1;
        out.touches_ += touches;
        out.operands_ = std::max(out.operands_, touches);
      },
      {}, kMostExecutedInstances, stop);
  if (!done) return done.errors();
  out.instances_ = *done;
  out.notes_ = run->program.notes;
  for (std::size_t a = 0; a < arrays; ++a) {
    out.arrays_.push_back({run->program.arrays[a].name, {}, false});
    for (std::size_t r = 0; r < run->low[a].size(); ++r) out.arrays_.back().extents.push_back(run->extent(a, r));
  }
  for (const ProgramStatement& s : run->program.statements) out.arrays_[s.write.array].written = true;
  out.program_ = run;
  return out;
}

Result<u64> ProgramTouches::run(const std::function<void(const ProgramTouch&)>& visit, const ProgramStop* stop) const {
  InstanceWords words(program_->program, program_->values);
  const auto touch = [&](int array, std::span<const i64> subscripts, bool write) {
    visit({program_->element(array, subscripts), static_cast<u8>(array), write, write});
  };
  return walk_instances(
      program_->program, program_->values,
      [&](int statement, std::span<const i64> at) { words.visit(statement, at, touch); }, {}, kMostExecutedInstances,
      stop);
}

}  // namespace heliolite
