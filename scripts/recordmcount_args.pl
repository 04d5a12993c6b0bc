#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0
#
# Add the signatures of functions outside of Kbuild, and report the sums of a build
#
# Kbuild runs gen_arg_sigs itself on each object that it compiles for ftrace, and
# keeps the output of gen_arg_sigs in the object's .cmd file: one line
# "#ARGSIGS sites=N sigs=N ...", and one "#ARGSIGS_NONE SYMBOL REASON" for each
# function without a signature. This script does the same for objects that were
# built in another way, and sums up such lines.

use strict;
use warnings;
use File::Basename;
use File::Find;
use File::Temp;
use Getopt::Long qw(:config no_ignore_case bundling);

my $usage = <<'END';
Usage: recordmcount_args.pl [--gen GEN_ARG_SIGS] [--strip-debug] FILE|DIR...
       recordmcount_args.pl --report [--limit PERCENT] [--worst N] [--functions] DIR...

The first form lets gen_arg_sigs add signatures to objects, to objects in archives,
and to all objects and archives (*.o, *.a) below directories. The second form reads
the .cmd files that Kbuild has left below directories. Both print the sums: objects,
sites that ftrace may patch, signatures, parameters, missing parts by their reasons,
and the objects that miss most.

  --gen GEN_ARG_SIGS  the program (default: gen_arg_sigs in the tree of this script)
  -g, --strip-debug   also remove the debug sections of the objects
  -r, --report        read .cmd files
  -l, --limit PERCENT
                      fail if PERCENT or more of the parameters are shown as "?"
  -w, --worst N       list N objects (default: 10)
  -f, --functions     list 'OBJECT: SYMBOL REASON' for each function without a
                      signature, and no sums
  -h, --help          print this text

Exit status: 0; 1 if an object could not be read, or if --limit was reached; 2 if
there was nothing to read, or if an argument was wrong.
END

my ($report, $strip, $functions, $limit, $help);
my $worst = 10;
my $gen = dirname($0) . '/gen_arg_sigs/gen_arg_sigs';
my (@objects, %seen);
my $tmp;

# Prints only the reason, and ends the script
sub fail
{
	print STDERR basename($0), ": @_\n";
	exit(2);
}

# Reads the lines that gen_arg_sigs prints
sub add_lines
{
	my ($name, $text) = @_;

	foreach my $line (split(/\n/, $text)) {
		if ($line =~ /^#ARGSIGS already$/) {
			push(@objects, { name => $name, already => 1, sum => {} });
		} elsif ($line =~ /^#ARGSIGS (.*)$/) {
			my %sum = map { /^([^=]+)=(.*)$/ } split(' ', $1);
			my $object = { name => $name, error => delete($sum{error}) };

			delete(@sum{grep { $sum{$_} !~ /^\d+$/ } keys(%sum)});
			$object->{sum} = \%sum;
			push(@objects, $object);
		} elsif ($line =~ /^#ARGSIGS_NONE (\S+) (\S+)$/ && @objects) {
			push(@{$objects[-1]->{none}}, "$1 $2");
		}
	}
}

# Adds signatures to one object; gen_arg_sigs itself prints its errors
sub record_object
{
	my ($file, $name) = @_;
	my $text = '';

	if (open(my $pipe, '-|', $gen, $strip ? '--strip-debug' : (), $file)) {
		local $/;
		$text = <$pipe> // '';
		close($pipe);
	} else {
		fail("cannot run $gen: $!");
	}
	if ($?) {
		my $signal = $? & 127;
		my $reason = $signal ? "signal-$signal" : 'status-' . ($? >> 8);

		print STDERR "$name: gen_arg_sigs failed: $reason\n";
		$text = "#ARGSIGS sites=? sigs=0 error=$reason\n";
	}
	add_lines($name, $text);
}

sub read_file
{
	my ($file) = @_;

	open(my $in, '<:raw', $file) or fail("$file: $!");
	local $/;
	return <$in> // '';
}

# Adds signatures to one member; returns its new bytes
sub record_member
{
	my ($bytes, $name) = @_;
	my $file;

	return $bytes if $bytes !~ /^\x7fELF/;
	$tmp //= File::Temp->newdir();
	$file = "$tmp/member.o";
	open(my $out, '>:raw', $file) or fail("$file: $!");
	print $out $bytes;
	close($out) or fail("$file: $!");
	record_object($file, $name);
	return read_file($file);
}

# Adds signatures to the members of an archive, in their order. Several members may
# have the same name. The members of a thin archive are separate files, and the
# archive has their sizes.
sub record_archive
{
	my ($file) = @_;
	my $old = read_file($file);
	my $thin = $old =~ /^!<thin>\n/;
	my $new = substr($old, 0, 8);
	my $pos = 8;
	my $names = '';

	while ($pos + 60 <= length($old)) {
		my $header = substr($old, $pos, 60);
		my ($name, $size) = unpack('A16 x32 A10', $header);
		my $special = $name =~ m,^(/|//|/SYM64/)$,;
		my $bytes = '';

		fail("$file: malformed archive") if $header !~ /`\n$/ || $size !~ /^\d+$/;
		fail("$file: archive in BSD's format") if $name =~ m,^#1/\d+$,;
		$pos += 60;
		if ($special || !$thin) {
			$bytes = substr($old, $pos, $size);
			$pos += $size + $size % 2;
		}
		$names = $bytes if $name eq '//';
		if (!$special) {
			$name = $1 if $name =~ m,^/(\d+)$, && $1 < length($names) &&
				substr($names, $1) =~ m,^(.*?)/?\n,;
			$name =~ s,/$,,;
			if ($thin) {
				$name = dirname($file) . "/$name" if $name !~ m,^/,;
				record_once($name);
				$size = -s $name // fail("$name: $!");
			} else {
				$bytes = record_member($bytes, "$file($name)");
				$size = length($bytes);
			}
			substr($header, 48, 10) = sprintf('%-10d', $size);
		}
		$new .= $header . $bytes;
		$new .= "\n" if length($bytes) % 2;
	}
	return if $new eq $old;

	open(my $out, '>:raw', "$file.tmp_arg_sigs") or fail("$file: $!");
	print $out $new;
	close($out) or fail("$file: $!");
	chmod((stat($file))[2] & 07777, "$file.tmp_arg_sigs");
	# The index of symbols has to get the new offsets of the members
	system('ranlib', "$file.tmp_arg_sigs") == 0 or fail("$file: ranlib failed") if !$thin;
	rename("$file.tmp_arg_sigs", $file) or fail("$file: $!");
}

# Adds signatures to a file once. A file is found twice if a thin archive lies in
# the same directory as its members.
sub record_once
{
	my ($file) = @_;
	my $id = join(':', (stat($file))[0, 1]) or fail("$file: $!");

	return if $seen{$id};
	if (substr(read_file($file), 0, 8) =~ /^!<(arch|thin)>\n/) {
		record_archive($file);
	} else {
		record_object($file, $file);
	}
	# gen_arg_sigs has replaced the file, so its inode is another one
	$seen{join(':', (stat($file))[0, 1])} = 1;
}

sub record_all
{
	my ($top) = @_;
	my @files;

	return record_once($top) if !-d $top;
	find({ no_chdir => 1, wanted => sub {
		push(@files, $_) if /\.[ao]$/ && -f && !-l;
	} }, $top);
	record_once($_) foreach sort(@files);
}

sub report_all
{
	my ($top) = @_;
	my @files;

	fail("$top: not a directory") if !-d $top;
	find({ no_chdir => 1, wanted => sub {
		push(@files, $_) if m,/\.[^/]*\.o\.cmd$, && -f;
	} }, $top);
	foreach my $file (sort(@files)) {
		my $name = $file;

		$name =~ s,/\.([^/]*)\.cmd$,/$1,;
		$name =~ s,^\Q$top\E/+,,;
		add_lines($name, join('', grep { /^#ARGSIGS/ } split(/^/, read_file($file))));
	}
}

sub by_number
{
	my ($sum) = @_;

	foreach my $reason (sort { $sum->{$b} <=> $sum->{$a} || $a cmp $b } keys(%$sum)) {
		printf("%7d      %s\n", $sum->{$reason}, $reason);
	}
}

# Counts the gaps of one object: sites without a signature, and parameters without
# a place
sub missing
{
	my ($sum) = @_;
	my (%sites, %params);

	foreach my $key (keys(%$sum)) {
		if ($key =~ /^unknown-(.*)$/) {
			$params{$1} = $sum->{$key} if $1 ne 'returns';
		} elsif ($key !~ /^(sites|sigs|params|removed|constants)$/) {
			$sites{$key} = $sum->{$key};
		}
	}
	return (\%sites, \%params);
}

sub total
{
	my $n = 0;

	$n += $_ foreach values(%{$_[0]});
	return $n;
}

# Prints the sums; returns the exit status
sub print_report
{
	my %sum = map { $_ => 0 } qw(sites sigs params removed constants unknown-returns);
	my ($sites, $params, $share);
	my (@errors, @already, %misses);

	foreach my $object (@objects) {
		my $part = $object->{sum};

		$sum{$_} += $part->{$_} foreach keys(%$part);
		push(@errors, $object) if defined($object->{error});
		push(@already, $object) if $object->{already};
		($sites, $params) = missing($part);
		$misses{$object->{name}} += total($sites) + total($params);
	}
	($sites, $params) = missing(\%sum);
	$share = $sum{params} ? 100 * total($params) / $sum{params} : 0;

	printf("%7d  objects\n", scalar(@objects));
	printf("%7d  had signatures already\n", scalar(@already)) if @already;
	printf("%7d  sites\n", $sum{sites});
	printf("%7d  signatures\n", $sum{sigs});
	printf("%7d  sites without\n", total($sites));
	by_number($sites);
	printf("%7d  parameters\n", $sum{params});
	printf("%7d  removed by the compiler\n", $sum{removed});
	printf("%7d  constants\n", $sum{constants});
	printf("%7d  shown as \"?\" (%.3f %%)\n", total($params), $share);
	by_number($params);
	printf("%7d  return values shown as \"?\"\n", $sum{'unknown-returns'});
	printf("%7d  objects not read\n", scalar(@errors));
	printf("             %s: %s\n", $_->{name}, $_->{error}) foreach @errors;

	my @worst = grep { $misses{$_} } sort { $misses{$b} <=> $misses{$a} || $a cmp $b } keys(%misses);

	splice(@worst, $worst) if @worst > $worst;
	print("Missing most:\n") if @worst;
	printf("%7d      %s\n", $misses{$_}, $_) foreach @worst;

	return 1 if @errors;
	return defined($limit) && (!$sum{params} || $share >= $limit) ? 1 : 0;
}

GetOptions('gen=s' => \$gen, 'strip-debug|g' => \$strip, 'report|r' => \$report,
	   'limit|l=f' => \$limit, 'worst|w=i' => \$worst, 'functions|f' => \$functions,
	   'help|h' => \$help) or do { print STDERR $usage; exit(2) };
if ($help) {
	print $usage;
	exit(0);
}
if (!@ARGV || $worst < 0 || ($report && $strip)) {
	print STDERR $usage;
	exit(2);
}
fail("cannot run $gen") if !$report && !-x $gen;

foreach my $top (@ARGV) {
	fail("$top: $!") if !-e $top;
	$report ? report_all($top) : record_all($top);
}
fail($report ? 'no #ARGSIGS lines there' : 'no objects there') if !@objects;
if ($functions) {
	foreach my $object (@objects) {
		print("$object->{name}: $_\n") foreach @{$object->{none} // []};
	}
	exit((grep { defined($_->{error}) } @objects) ? 1 : 0);
}
exit(print_report());
