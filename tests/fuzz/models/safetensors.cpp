#include "fuzz/support.hpp"
#include "models/files/safetensors_header.hpp"
#include "models/files/weight_file.hpp"
#include "runtime/files/input_file.hpp"

using namespace troupe;

namespace {

/// Returns the tensors of a model that matches the file.
std::vector<TensorInfo> tensors_of(const SafetensorsHeader& header) {
  std::vector<TensorInfo> tensors;
  for (const auto& [name, tensor] : header.tensors)
    if (tensor.type != StoredType::i64) tensors.push_back({name, tensor.shape});
  return tensors;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static fuzz::InputInFile file;
  const std::string& path = file.hold(std::as_bytes(std::span(data, size)));
  std::vector<TensorInfo> tensors{{"weight", {2, 3}}, {"bias", {2}}};
  fuzz::may_refuse([&] { tensors = tensors_of(read_safetensors_header(InputFile(path))); }, {ErrorCode::bad_file});
  fuzz::may_refuse(
      [&] {
        std::size_t floats = 0;
        for (const TensorInfo& tensor : tensors) floats += tensor.size();
        fuzz::expect(read_safetensors(path, tensors).size() == floats, "there are as many floats as in the tensors");
      },
      {ErrorCode::bad_file, ErrorCode::model_mismatch});
  return 0;
}
