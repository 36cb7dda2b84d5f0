#include <csetjmp>
#include <cstdio>
// jpeglib.h must be included after <cstdio>.
#include <jpeglib.h>
// jerror.h must be included after <cstdio> and jpeglib.h.
#include <jerror.h>

#include "models/files/images/image.hpp"
#include "runtime/files/input_file.hpp"

namespace troupe {
namespace {

/// The maximum number of scans in a progressive JPEG file; each scan refines the whole image. Real files have about a
/// dozen scans. A scan can take as long as decoding an image, so without a limit a small file with very many scans
/// could take unlimited time.
constexpr int kMostScans = 100;

/// Returns whether the last warning of libjpeg means that pixels are missing or wrong. Other warnings also occur for
/// files whose pixels are intact: for extra bytes before the end, an unknown version or a bad colour profile.
bool damages_pixels(const jpeg_error_mgr& errors) {
  switch (errors.msg_code) {
    case JWRN_JPEG_EOF:
    case JWRN_HIT_MARKER:
    case JWRN_HUFF_BAD_CODE:
    case JWRN_ARITH_BAD_CODE:
    case JWRN_MUST_RESYNC:
    case JWRN_BOGUS_PROGRESSION:
      return true;
    case JWRN_EXTRANEOUS_DATA: {  // the second parameter of the warning is the next marker
      const int marker = errors.msg_parm.i[1];
      return marker >= JPEG_RST0 && marker < JPEG_RST0 + 8;
    }
    default:
      return false;
  }
}

/// The state of libjpeg for one file. If a function of libjpeg fails, the error handler stores the message and jumps to
/// the last setjmp by a longjmp. The functions that the longjmp skips must have no local objects with destructors,
/// because these would not run.
struct Decoder {
  jpeg_decompress_struct jpeg{};
  jpeg_error_mgr errors{};
  jpeg_progress_mgr progress{};
  std::jmp_buf failed{};
  char message[JMSG_LENGTH_MAX] = "";

  Decoder() {
    jpeg.err = jpeg_std_error(&errors);
    jpeg.client_data = this;
    errors.error_exit = [](j_common_ptr common) {
      auto& decoder = *static_cast<Decoder*>(common->client_data);
      decoder.errors.format_message(common, decoder.message);
      std::longjmp(decoder.failed, 1);
    };
    errors.emit_message = [](j_common_ptr common, int /*level*/) {
      if (damages_pixels(*common->err)) common->err->error_exit(common);
    };
    progress.progress_monitor = [](j_common_ptr common) {
      auto& decoder = *static_cast<Decoder*>(common->client_data);
      if (decoder.jpeg.input_scan_number <= kMostScans) return;
      std::snprintf(decoder.message, sizeof decoder.message, "more than %d scans", kMostScans);
      std::longjmp(decoder.failed, 1);
    };
  }
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;
  ~Decoder() { jpeg_destroy_decompress(&jpeg); }
};

bool read_header(Decoder& decoder, std::span<const std::byte> file, const ImageUse& use) {
  if (setjmp(decoder.failed) != 0) return false;
  jpeg_create_decompress(&decoder.jpeg);
  decoder.jpeg.progress = &decoder.progress;
  jpeg_mem_src(&decoder.jpeg, reinterpret_cast<const unsigned char*>(file.data()), file.size());
  jpeg_read_header(&decoder.jpeg, TRUE);
  decoder.jpeg.out_color_space = use.channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
  return true;
}

/// Returns the denominator of the scale at which to decode the image: 8, 4, 2 or 1. Chooses the largest of these for
/// which the decoded image is at least as large as requested. Other scales of libjpeg are not faster than decoding at
/// full size.
unsigned part_of(const jpeg_decompress_struct& jpeg, const ImageUse& use) {
  if (use.width <= 0 || use.height <= 0) return 1;
  for (const unsigned part : {8U, 4U, 2U})
    if (jpeg.image_width >= part * use.width && jpeg.image_height >= part * use.height) return part;
  return 1;
}

bool read_rows(Decoder& decoder, std::uint8_t* row, std::size_t row_bytes) {
  if (setjmp(decoder.failed) != 0) return false;
  jpeg_start_decompress(&decoder.jpeg);
  while (decoder.jpeg.output_scanline < decoder.jpeg.output_height) {
    JSAMPROW to = row + decoder.jpeg.output_scanline * row_bytes;
    jpeg_read_scanlines(&decoder.jpeg, &to, 1);
  }
  jpeg_finish_decompress(&decoder.jpeg);
  return true;
}

}  // namespace

Image read_jpeg(const std::string& path, std::span<const std::byte> file, const ImageUse& use) {
  Decoder decoder;
  const auto refuse = [&] { throw_bad_file(path, std::string("the JPEG file is damaged: ") + decoder.message); };
  if (!read_header(decoder, file, use)) refuse();
  if (const auto colours = decoder.jpeg.jpeg_color_space; colours == JCS_CMYK || colours == JCS_YCCK)
    throw_bad_file(path, "the JPEG file has CMYK colours (for print): save it as RGB or grey");
  if (std::int64_t{decoder.jpeg.image_width} * decoder.jpeg.image_height > kMostPixels)
    throw_bad_file(path, "the image has too many pixels");
  decoder.jpeg.scale_num = 1;
  decoder.jpeg.scale_denom = part_of(decoder.jpeg, use);
  jpeg_calc_output_dimensions(&decoder.jpeg);
  Image image{
      .width = decoder.jpeg.output_width, .height = decoder.jpeg.output_height, .channels = use.channels, .bytes = {}};
  image.bytes.resize(static_cast<std::size_t>(image.width * image.height * image.channels));
  if (!read_rows(decoder, image.bytes.data(), static_cast<std::size_t>(image.width * image.channels))) refuse();
  return image;
}

}  // namespace troupe
