// Machines, workloads and mappings in our own formats.
#include "cli/convert/written_files.h"

#include <fmt/format.h>
#include <algorithm>

#include "arch/architecture_yaml.h"
#include "engine/base/text.h"
#include "engine/base/yaml_node.h"
#include "engine/formats/accelforge/files.h"
#include "engine/formats/load_architecture.h"
#include "engine/formats/load_mapping.h"
#include "engine/formats/load_network.h"
#include "engine/formats/timeloop/machine.h"
#include "engine/formats/timeloop/mapping.h"
#include "engine/formats/timeloop/problem.h"
#include "engine/model/cost_model.h"
#include "engine/model/fingerprint.h"
#include "engine/model/mapping_yaml.h"
#include "engine/model/running_units.h"
#include "workloads/word_bits.h"
#include "workloads/workload_yaml.h"

namespace heliolite::cli {
namespace {

// Whether the text is read as the machine. A machine with several outermost instances is none of our format.
bool is_read_as(const std::string& text, const Architecture& machine) {
  const Result<YamlNode> document = YamlNode::parse(text, "machine.yaml");
  if (!document) return false;
  const Result<ArchitectureSpec> spec = read_architecture_yaml(*document);
  if (!spec) return false;
  const Result<Architecture> back = resolve(*spec);
  return back && fingerprint(*back) == fingerprint(machine);
}

std::vector<std::string> names_of_units(const Workload& workload, const Architecture& machine) {
  std::vector<std::string> out;
  if (const Result<std::vector<std::size_t>> units = units_that_run(workload, machine))
    for (const std::size_t unit : *units) out.push_back(machine.chain(unit).compute.name);
  return out;
}

// AccelForge's Einsums run on the units that their number of tensors says, which may be others than those of the
// layers: a complaint where none is left, a note where more or fewer are.
void compare_units(const Convertible& from, const Network& written, const Architecture& machine, Diagnostics& errors,
                   Diagnostics& notes) {
  if (from.machine->units.empty()) return;
  for (std::size_t k = 0; k < written.layers.size(); ++k) {
    const Workload& layer = from.network->layers[k].workload;
    std::vector<std::string> before = names_of_units(layer, *from.machine);
    if (!from.units.empty()) before = {from.machine->chain(from.units[k]).compute.name};
    const std::vector<std::string> after = names_of_units(written.layers[k].workload, machine);
    const bool some = std::ranges::any_of(
        before, [&](const std::string& unit) { return std::ranges::find(after, unit) != after.end(); });
    const std::string text =
        fmt::format("runs on {} here, and there, by its number of tensors, on {}",
                    before.empty() ? "no unit" : join(before, "or"), after.empty() ? "none" : join(after, "or"));
    if (!some) errors.push_back({"", 0, layer.name, text});
    else if (before != after) notes.push_back({"", 0, layer.name, text});
  }
}

// "problem.yaml", or with several layers "problem_conv1.yaml", of letters, digits, '_', '.' and '-'.
std::string layer_file(std::string_view what, const Network& network, std::size_t layer) {
  if (network.layers.size() == 1) return fmt::format("{}.yaml", what);
  std::string name = network.layers[layer].workload.name;
  for (char& c : name)
    if (!is_letter(c) && !is_digit(c) && c != '.' && c != '-') c = '_';
  return fmt::format("{}_{}.yaml", what, name);
}

}  // namespace

Result<WrittenFiles> to_heliolite(const Convertible& from) {
  WrittenFiles written;
  if (from.machine) {
    std::string text = write_architecture(*from.machine);
    if (!is_read_as(text, *from.machine))
      return Diagnostic{"", 0, from.machine->name,
                        "has several instances of its outermost level, which our format does not know"};
    written.add("machine.yaml", "machine", std::move(text));
  }
  if (!from.network) return written;
  const Network& network = *from.network;
  // A workload by itself has neither a count nor edges.
  const bool one = network.layers.size() == 1 && network.layers[0].count == 1 && network.edges.empty();
  if (one) written.add("workload.yaml", "workload", write_workload(network.layers.front().workload));
  else written.add("network.yaml", "network", write_network(network));
  for (std::size_t i = 0; i < from.mappings.size(); ++i)
    if (from.mappings[i])
      written.add(layer_file("mapping", network, i), "mapping",
                  write_mapping(*from.mappings[i], network.layers[i].workload, from.machine->chain(from.units[i])));
  return written;
}

Result<WrittenFiles> to_accelforge(const Convertible& from) {
  WrittenFiles written;
  Diagnostics errors;
  std::optional<Architecture> machine;
  std::optional<Network> network;
  const auto take = [&](const Result<accelforge::WrittenText>& one, std::string name, std::string what) {
    if (!one) errors.insert(errors.end(), one.errors().begin(), one.errors().end());
    if (!one) return std::string();
    written.notes.insert(written.notes.end(), one->notes.begin(), one->notes.end());
    written.add(std::move(name), std::move(what), one->text);
    return one->text;
  };
  const auto bug = [&](const auto& read, const std::string& what) {
    if (read) return;
    errors.push_back({"", 0, what, "cannot be read again: a mistake of this program, please report it"});
    errors.insert(errors.end(), read.errors().begin(), read.errors().end());
  };
  if (from.machine) {
    const std::string text = take(accelforge::write_machine(*from.machine), "arch.yaml", "machine");
    if (!errors.empty()) return errors;
    const Result<Architecture> read = parse_architecture(text, "arch.yaml");
    bug(read, "arch.yaml");
    if (read) machine = *read;
  }
  if (!from.network) return errors.empty() ? Result<WrittenFiles>(std::move(written)) : errors;
  // Words without a size are those of the machine, where its levels agree.
  std::optional<WordLength> bits;
  if (from.machine && std::ranges::all_of(from.machine->levels, [&](const StorageLevel& level) {
        return level.word_bits == from.machine->levels.front().word_bits;
      }))
    bits = from.machine->levels.front().word_bits;
  const std::string text = take(accelforge::write_workload(*from.network, bits), "workload.yaml", "workload");
  if (!errors.empty()) return errors;
  const Result<Network> read = parse_network(text, "workload.yaml");
  bug(read, "workload.yaml");
  if (!read) return errors;
  if (machine) compare_units(from, *read, *machine, errors, written.notes);
  if (!errors.empty()) return errors;
  for (std::size_t i = 0; i < from.mappings.size(); ++i) {
    if (!from.mappings[i]) continue;
    const std::string name = layer_file("mapping", *from.network, i);
    const std::string tree = take(
        accelforge::write_mapping(*from.mappings[i], *from.network, i, *from.machine, from.units[i]), name, "mapping");
    if (!errors.empty()) return errors;
    const Result<MappingFile> file = MappingFile::parse(tree, name);
    bug(file, name);
    if (!file || !machine) continue;
    bug(file->read_on_unit(read->layers[i].workload, *machine), name);
  }
  if (!errors.empty()) return errors;
  return written;
}

// Machines, workloads, constraints and mappings as Timeloop's files.

namespace {

class TimeloopConverter {
 public:
  TimeloopConverter(const Convertible& from, TimeloopVersion version) : from_(from), version_(version) {}

  Result<WrittenFiles> run() {
    if (from_.machine && !from_.network) machine_alone();
    if (from_.network)
      for (std::size_t i = 0; i < from_.network->layers.size(); ++i) layer(i);
    if (from_.machine && from_.network) constraint_files();
    if (from_.network) network_notes();
    if (!errors_.empty()) return errors_;
    return std::move(written_);
  }

 private:
  struct Constraints {
    std::string file, text;
  };

  void add_notes(const Diagnostics& notes) {
    for (const Diagnostic& note : notes) {
      const auto same = [&](const Diagnostic& d) { return d.field == note.field && d.message == note.message; };
      if (std::ranges::none_of(written_.notes, same)) written_.notes.push_back(note);
    }
  }

  void fail(const Diagnostics& errors) {
    for (const Diagnostic& error : errors) {
      const auto same = [&](const Diagnostic& d) { return d.field == error.field && d.message == error.message; };
      if (std::ranges::none_of(errors_, same)) errors_.push_back(error);
    }
  }

  void machine_alone() {
    if (names_classes(*from_.machine))
      return fail({{"", 0, "constraints", "name classes of dimensions, which only a workload has: give it as well"}});
    const Result<TimeloopMachineFiles> files = write_timeloop_architecture(*from_.machine, version_);
    if (!files) return fail(files.errors());
    add_notes(files->notes);
    machine_files(*files);
    if (!files->constraints.empty()) written_.add("constraints.yaml", "constraints", files->constraints);
    read_again(*files);
  }

  void machine_files(const TimeloopMachineFiles& files) {
    written_.add("arch.yaml", "machine", files.architecture);
    written_.add("ERT.yaml", "energies", files.ert);
    written_.add("ART.yaml", "areas", files.art);
    if (!files.components.empty()) written_.add("components.yaml", "component classes", files.components);
  }

  void layer(std::size_t index) {
    const Workload& workload = from_.network->layers[index].workload;
    if (states_word_bits(workload))
      return fail({{"", 0, "word_bits",
                    fmt::format("{} states sizes of words ({}), and Timeloop's problems have none: words are those of "
                                "each level; --word-bits none leaves them out",
                                workload.name, word_bits_text(workload))}});
    const TimeloopProblem problem = write_timeloop_problem(workload, name(version_));
    add_notes(problem.notes);
    std::string text = problem.text;
    if (const u64 count = from_.network->layers[index].count; count > 1)
      text = fmt::format("# {} executes this layer {} times.\n", from_.network->name, count) + text;
    written_.add(layer_file("problem", *from_.network, index), "problem", std::move(text));
    if (!from_.machine) return;
    const Result<TimeloopForm> form = timeloop_form(*from_.machine, workload, version_);
    if (!form) return fail(form.errors());
    add_notes(form->notes);
    const Result<TimeloopMachineFiles> files = write_timeloop_architecture(form->machine, version_);
    if (!files) return fail(files.errors());
    add_notes(files->notes);
    if (index == 0) machine_files(*files);
    constraints_.push_back({layer_file("constraints", *from_.network, index), files->constraints});
    const Architecture back = read_again(*files);
    if (index < from_.mappings.size() && from_.mappings[index])
      mapping(index, problem.text, files->machine, back, *from_.mappings[index]);
  }

  void mapping(std::size_t index, const std::string& problem, const Architecture& machine, const Architecture& back,
               const Mapping& mapping) {
    const Workload& workload = from_.network->layers[index].workload;
    // The form has the channel between peers, as Timeloop's machines do; what does not take it in the machine as it was
    // given must say so.
    const Mapping said = peers_said(mapping, workload, *from_.machine);
    const Result<std::string> text = write_timeloop_mapping(said, workload, machine, version_);
    if (!text) {
      fail(text.errors());
      return fail(
          {{"", 0, "",
            "this mapping is none of Timeloop's mapspace: convert the machine, and search with what is written"}});
    }
    written_.add(layer_file("mapping", *from_.network, index), "mapping", *text);
    if (!errors_.empty()) return;
    const Result<YamlNode> problem_file = YamlNode::parse(problem, "problem"), file = YamlNode::parse(*text, "mapping");
    if (!problem_file || !file) return bug(workload.name, problem_file ? file.errors() : problem_file.errors());
    const Result<Workload> same = timeloop_problem(*problem_file, workload.name);
    if (!same) return bug(workload.name, same.errors());
    const Result<Mapping> read = read_timeloop_mapping(*file, *same, back);
    if (!read) return bug(workload.name, read.errors());
    Architecture counted = *from_.machine;
    count_as_timeloop(counted);
    const Cost before = CostModel(workload, counted).evaluate(mapping).cost;
    const Cost after = CostModel(*same, back).evaluate(*read).cost;
    if (*read != peers_said(said, workload, machine) || before != after) bug(workload.name, {});
  }

  // The machine that the files are read as.
  Architecture read_again(const TimeloopMachineFiles& files) {
    const Architecture& machine = files.machine;
    std::vector<YamlNode> documents;
    for (const std::string* text :
         {&files.architecture, &files.constraints, &files.ert, &files.art, &files.components}) {
      if (text->empty()) continue;
      const Result<YamlNode> document = YamlNode::parse(*text, "written");
      if (!document) return bug(machine.name, document.errors()), machine;
      documents.push_back(*document);
    }
    const Result<Architecture> back = read_timeloop_architecture(documents);
    if (!back) return bug(machine.name, back.errors()), machine;
    if (fingerprint(*back) != fingerprint(machine)) bug(machine.name, {});
    return *back;
  }

  void bug(const std::string& what, const Diagnostics& errors) {
    fail({{"", 0, what, "is another one when its files are read again: a mistake of this program, please report it"}});
    fail(errors);
  }

  // One file where all layers have the same constraints.
  void constraint_files() {
    if (constraints_.empty()) return;
    const bool same =
        std::ranges::all_of(constraints_, [&](const Constraints& c) { return c.text == constraints_.front().text; });
    if (same) constraints_ = {{"constraints.yaml", constraints_.front().text}};
    for (const Constraints& c : constraints_)
      if (!c.text.empty()) written_.add(c.file, "constraints", c.text);
  }

  void network_notes() {
    const Network& network = *from_.network;
    if (!network.edges.empty())
      add_notes({{"", 0, network.name, "what its layers pass to each other has no place in Timeloop's files"}});
    if (std::ranges::any_of(network.layers, [](const Layer& layer) { return layer.count > 1; }))
      add_notes({{"", 0, network.name, "how often a layer is executed stands in a comment of its problem"}});
  }

  const Convertible& from_;
  const TimeloopVersion version_;
  WrittenFiles written_;
  std::vector<Constraints> constraints_;
  Diagnostics errors_;
};

}  // namespace

Result<WrittenFiles> to_timeloop(const Convertible& from, TimeloopVersion version) {
  return TimeloopConverter(from, version).run();
}

}  // namespace heliolite::cli
