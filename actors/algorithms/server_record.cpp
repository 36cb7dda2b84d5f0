#include "actors/algorithms/server_record.hpp"

#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

#include "troupe/error.hpp"

namespace troupe {
namespace {

using nlohmann::json;

ServerOperation read_operation(const json& line) {
  if (line.contains("rest")) return {ServerOperation::Kind::rest};
  ServerOperation operation;
  operation.worker = line.at("worker").get<int>();
  operation.clock = line.at("clock").get<std::int64_t>();
  if (line.contains("computes")) {
    operation.kind = ServerOperation::Kind::compute;
    return operation;
  }
  operation.pushes = line.at("pushes").get<bool>();
  operation.serves = line.at("fetches").get<bool>();
  operation.kind = line.value("dropped", false) ? ServerOperation::Kind::drop : ServerOperation::Kind::ask;
  return operation;
}

}  // namespace

ServerRecorder::ServerRecorder(std::string path) : path_(std::move(path)), file_(path_, std::ios::trunc) {
  if (!file_)
    throw Error(ErrorCode::system, std::string("cannot be written: ") + std::strerror(errno), {.object = path_});
}

void ServerRecorder::write(const ServerOperation& operation) {
  if (operation.kind == ServerOperation::Kind::rest) {
    file_ << R"({"rest":true})" << '\n';
  } else if (operation.kind == ServerOperation::Kind::compute) {
    file_ << R"({"worker":)" << operation.worker << R"(,"clock":)" << operation.clock << R"(,"computes":true})" << '\n';
  } else {
    file_ << R"({"worker":)" << operation.worker << R"(,"clock":)" << operation.clock << R"(,"pushes":)"
          << (operation.pushes ? "true" : "false") << R"(,"fetches":)" << (operation.serves ? "true" : "false")
          << (operation.kind == ServerOperation::Kind::drop ? R"(,"dropped":true})" : "}") << '\n';
  }
  file_.flush();
  if (!file_)
    throw Error(ErrorCode::system, std::string("cannot be written: ") + std::strerror(errno), {.object = path_});
}

ServerScript::ServerScript(const std::string& path) : path_(path) {
  std::ifstream file(path);
  if (!file) throw Error(ErrorCode::bad_file, std::strerror(errno), {.object = path});
  std::string line;
  for (std::size_t number = 1; std::getline(file, line); ++number) try {
      operations_.push_back(read_operation(json::parse(line)));
    } catch (const json::exception&) {
      throw Error(ErrorCode::bad_file, "line " + std::to_string(number) + " is none of a record", {.object = path});
    }
}

const ServerOperation& ServerScript::next() const {
  if (done()) throw Error(ErrorCode::bad_file, "the record ends here", {.object = path_});
  return operations_.front();
}

}  // namespace troupe
