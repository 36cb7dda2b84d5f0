#include "actors/algorithms/server_record.hpp"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "runtime/files/input_file.hpp"
#include "runtime/json/bounded_json.hpp"
#include "runtime/log.hpp"
#include "runtime/printable.hpp"

namespace troupe {
namespace {

using nlohmann::json;

constexpr std::uint64_t kLongestRecord = std::uint64_t{1} << 30;

/// Returns the number with the name `name` in a line of a record.
/// @throws json::exception if the line has no number with this name, or the number is out of range
template <class Number>
Number read_number(const json& line, const char* name) {
  const json& value = line.at(name);
  // Accept at most half of the type's largest value, so that later additions do not overflow.
  if (!value.is_number_unsigned() || value > std::numeric_limits<Number>::max() / 2)
    throw json::type_error::create(302, std::string(name) + " is not a valid number", &line);
  return value.get<Number>();
}

ServerOperation read_operation(const json& line) {
  using Kind = ServerOperation::Kind;
  for (const auto& [name, kind] :
       {std::pair("step", Kind::step), std::pair("rest", Kind::rest), std::pair("rested", Kind::rested)})
    if (line.contains(name)) return {kind, -1, read_number<std::int64_t>(line, name)};
  ServerOperation operation;
  operation.worker = read_number<int>(line, "worker");
  operation.clock = read_number<std::int64_t>(line, "clock");
  if (line.contains("computes")) {
    operation.kind = Kind::compute;
    return operation;
  }
  operation.pushes = line.at("pushes").get<bool>();
  operation.serves = line.at("fetches").get<bool>();
  operation.kind = line.value("dropped", false) ? Kind::drop : Kind::ask;
  return operation;
}

nlohmann::ordered_json line_of(const ServerOperation& operation) {
  using Kind = ServerOperation::Kind;
  if (operation.kind == Kind::step) return {{"step", operation.clock}};
  if (operation.kind == Kind::rest) return {{"rest", operation.clock}};
  if (operation.kind == Kind::rested) return {{"rested", operation.clock}};
  nlohmann::ordered_json line{{"worker", operation.worker}, {"clock", operation.clock}};
  if (operation.kind == Kind::compute) {
    line["computes"] = true;
    return line;
  }
  line["pushes"] = operation.pushes;
  line["fetches"] = operation.serves;
  if (operation.kind == Kind::drop) line["dropped"] = true;
  return line;
}

}  // namespace

ServerRecorder::ServerRecorder(const std::string& path, RecordedRun run)
    : run_(std::move(run)), file_(std::in_place, path, /*goes_on=*/true, &std::string::size) {}

void ServerRecorder::write(const ServerOperation& operation) {
  if (!file_) return;
  try {
    if (!std::exchange(begun_, true)) {
      file_->begin_anew();
      file_->write(json(run_).dump() + '\n');
    }
    file_->write(line_of(operation).dump() + '\n');
  } catch (const Error& error) {
    failure_ = error.what();
    file_.reset();
    log_line(LogLevel::error, failure_ + "; the run continues without the record");
  }
}

ServerScript::ServerScript(const std::string& path, const RecordedRun& run) : path_(path) {
  std::istringstream file(InputFile(path).read_text(kLongestRecord));
  std::string line;
  for (std::size_t number = 1; std::getline(file, line); ++number) try {
      const json parsed = parse_bounded(line);
      number == 1 ? check_run(parsed.get<RecordedRun>(), run) : operations_.push_back(read_operation(parsed));
    } catch (const json::exception&) {
      throw Error(ErrorCode::bad_file, "line " + std::to_string(number) + " is not a line of a record",
                  {.object = path});
    }
}

void ServerScript::check_run(const RecordedRun& recorded, const RecordedRun& run) const {
  for (const auto& [name, value] : run) {
    const auto found = recorded.find(name);
    const std::string other = found == recorded.end() ? "none" : printable(found->second);
    if (other == value) continue;
    std::string what = "the record was written by a run with ";
    what.append(name).append(" ").append(other).append("; this run has ").append(value);
    throw Error(ErrorCode::bad_file, what, {.object = path_});
  }
}

void ServerScript::take() {
  operations_.pop_front();
  ++taken_;
}

const ServerOperation& ServerScript::next() const {
  if (done()) throw other_run();
  return operations_.front();
}

std::optional<std::int64_t> ServerScript::next_rest() const {
  const auto found = std::ranges::find(operations_, ServerOperation::Kind::rest, &ServerOperation::kind);
  return found == operations_.end() ? std::nullopt : std::optional(found->clock);
}

Error ServerScript::other_run() const {
  if (done()) return {ErrorCode::bad_file, "the record ends before the run", {.object = path_}};
  return {ErrorCode::bad_file,
          "line " + std::to_string(taken_ + 2) +
              " of the record does not match this run; the recorded run may have lost other workers or rested at other "
              "steps",
          {.object = path_}};
}

}  // namespace troupe
