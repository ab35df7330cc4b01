#!/usr/bin/perl
# A message centre that knows nothing of this repository: Net::SMPP plays it. Prints its port, and then a
# line for each bind, message, answer to a receipt, and unbind. What it does with a message, the last three
# digits of the recipient say. With the argument "hex" it answers with ids in hexadecimal and writes them
# in decimal in the text of its receipts; otherwise its receipts have the fields of SMPP 3.4.
use strict;
use warnings;
use Net::SMPP;

my $hex = grep { $_ eq 'hex' } @ARGV;
my $next = 0x1a2b;
my %state = (DELIVRD => 2, UNDELIV => 5);
$| = 1;

my $listener = Net::SMPP->new_listen('127.0.0.1', port => 0, smpp_version => 0x34, timeout => 5)
  or die "cannot listen: $!";
print 'port ', $listener->sockport, "\n";

sub report {
    my ($centre, $pdu, $id, $state) = @_;
    my $text_id = $hex ? $id : 0;
    my @fields = $hex ? () : (receipted_message_id => sprintf("%x\0", $id), message_state => pack('C', $state{$state}));
    $centre->deliver_sm(
        async => 1,
        source_addr_ton => 1, source_addr_npi => 1, source_addr => $pdu->{destination_addr},
        dest_addr_ton => 5, dest_addr_npi => 0, destination_addr => $pdu->{source_addr},
        esm_class => 0x04,
        short_message => "id:$text_id sub:001 dlvrd:001 submit date:2611180900 done date:2611180901 stat:$state err:000 text:x",
        @fields,
    );
}

sub submitted {
    my ($centre, $pdu) = @_;
    print join(' ', 'submit', $pdu->{source_addr}, $pdu->{destination_addr}, $pdu->{esm_class},
        $pdu->{data_coding}, unpack('H*', $pdu->{short_message})), "\n";
    my $kind = substr $pdu->{destination_addr}, -3;
    return 0 if $kind eq '104';
    my %refused = (101 => 0x0b, 102 => 0x58);
    my $status = $refused{$kind} || 0;
    my $id = $next++;
    $centre->submit_sm_resp(seq => $pdu->{seq}, status => $status, message_id => $status ? '' : sprintf('%X', $id));
    report($centre, $pdu, $id, $kind eq '103' ? 'UNDELIV' : 'DELIVRD')
      if !$status && $pdu->{registered_delivery};
    return 1;
}

sub serve {
    my ($centre) = @_;
    while (my $pdu = $centre->read_pdu) {
        my $cmd = $pdu->{cmd};
        if ($cmd == Net::SMPP::CMD_bind_transceiver) {
            print "bind $pdu->{system_id} $pdu->{password}\n";
            my $status = $pdu->{password} eq 'secret' ? 0 : 0x0e;
            $centre->set_version(0x34);
            $centre->bind_transceiver_resp(seq => $pdu->{seq}, system_id => 'centre', status => $status);
        } elsif ($cmd == Net::SMPP::CMD_submit_sm) {
            submitted($centre, $pdu) or return;
        } elsif ($cmd == Net::SMPP::CMD_enquire_link) {
            print "enquire\n";
            $centre->enquire_link_resp(seq => $pdu->{seq});
        } elsif ($cmd == Net::SMPP::CMD_deliver_sm_resp) {
            print "answered $pdu->{status}\n";
        } elsif ($cmd == Net::SMPP::CMD_unbind) {
            $centre->unbind_resp(seq => $pdu->{seq});
            print "unbind\n";
            return;
        }
    }
}

$SIG{__WARN__} = sub { };
while (1) {
    my $centre = $listener->accept;
    # Nobody would end it when the test that started it is gone.
    exit if getppid == 1;
    next unless $centre;
    serve($centre);
    close $centre;
}
