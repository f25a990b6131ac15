// heliolite-check-proof: says whether a proof is one, in a line, and names the first line that is wrong.
#include "check_proof/proof.h"
namespace {

constexpr const char* kHelp =
    "Usage: heliolite-check-proof [--instance FILE] FILE\n"
    "       heliolite-check-proof --price FILE\n"
    "Checks a proof that no legal mapping of an instance is below a value. FILE: as `map --proof` writes it; - reads\n"
    "the standard input. Packed files: zcat FILE | heliolite-check-proof -\n"
    "  --instance FILE  the proof must be of exactly this instance, or these, as `heliolite show --instance` has them\n"
    "  --price FILE     prints the cost of a mapping: an instance, then the lines `mapping` and `m` of a proof\n"
    "  --help, --version\n"
    "Exit codes: 0 accepted, 1 rejected, 2 refused or a wrong command line.\n";

// Whether a text has a proof of each of these instances.
bool has_all(const std::string& text, const std::string& instances) {
  for (std::size_t begin = 0, end = 0; begin < instances.size(); begin = end) {
    end = std::min(instances.find("heliolite-instance ", begin + 1), instances.size());
    if (("\n" + text).find("\n" + instances.substr(begin, end - begin) + "heliolite-proof ") == text.npos) return false;
  }
  return true;
}

int usage(const std::string& what) { return std::fprintf(stderr, "%s\n%s", what.c_str(), kHelp) < 0 ? 3 : 2; }

int run(const std::vector<std::string>& arguments) {
  std::string file, instance;
  bool is_priced = false;
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    const std::string& a = arguments[k];
    if (a == "--help") return std::printf("%s", kHelp) < 0 ? 2 : 0;
    if (a == "--version") return std::printf("heliolite-check-proof, proofs of version 1\n") < 0 ? 2 : 0;
    const bool has_value = a == "--instance" || a == "--price";
    if (has_value && ++k == arguments.size()) return usage("a value expected behind " + a);
    if (a == "--instance") instance = arguments[k];
    else if (!file.empty() || (!has_value && a.size() > 1 && a[0] == '-')) return usage("unknown argument " + a);
    else file = arguments[k], is_priced = has_value;
  }
  if (file.empty()) return usage("a file expected");
  std::string said;
  int exit_code = 0;
  try {
    const std::string text = check_proof::read_file(file);
    check_proof::Lines lines(text);
    if (!instance.empty() && !has_all(text, check_proof::read_file(instance)))
      throw check_proof::Wrong{0, "a proof of the instance " + instance + " expected", false};
    said = is_priced ? "priced: " + check_proof::priced(lines) : "accepted: " + check_proof::proved(lines);
  } catch (const check_proof::Wrong& w) {
    const std::string line = w.line == 0 ? "" : ":" + std::to_string(w.line);
    said = (w.refused ? "refused: " : "rejected: ") + file + line + ": " + w.what;
    exit_code = w.refused ? 2 : 1;
  } catch (const std::exception& e) {
    said = "refused: " + file + ": memory is missing, or something else: " + e.what();
    exit_code = 2;
  }
  std::printf("%s\n", said.c_str());
  return exit_code;
}

}  // namespace

int main(int count, char** values) { return run({values + (count > 0 ? 1 : 0), values + count}); }
